// Package page is the live page: plain HTML, CSS and ES modules, embedded and served as
// they are. It needs nothing but the JSON API beside it (v1/stream, v1/top), which it
// reaches by relative addresses, so it works below any base path.
package page
