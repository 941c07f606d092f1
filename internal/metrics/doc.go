// Package metrics shows a run to Prometheus. Everything is read at the moment of a scrape
// from what the run says of itself anyway, so that no record costs anything more; and no
// metric has a label per drink or window, which would have no bound.
package metrics
