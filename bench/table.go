package main

import (
	"errors"
	"fmt"
	"strings"
)

// Result is what became of a contestant, over all rounds.
type Result struct {
	Name string
	Runs []Run
	Note string // why there are no runs
}

// wrong is the first run that did not get to the end with the right answer, or nil.
func (r *Result) wrong() *Run {
	for i := range r.Runs {
		if !r.Runs[i].Right() {
			return &r.Runs[i]
		}
	}
	return nil
}

// of are one figure's values over the rounds.
func (r *Result) of(figure func(*Run) float64) []float64 {
	var values []float64
	for i := range r.Runs {
		values = append(values, figure(&r.Runs[i]))
	}
	return values
}

// The figures of a run.
func speedOf(r *Run) float64  { return r.Speed }
func cpuOfRun(r *Run) float64 { return r.CPU }
func rssOf(r *Run) float64    { return float64(r.RSS) }
func firstOf(r *Run) float64  { return r.First.Seconds() }

// ratio is the median over the rounds of a's figure by b's.
func ratio(a, b *Result, figure func(*Run) float64) float64 {
	var ratios []float64
	for i := range min(len(a.Runs), len(b.Runs)) {
		if under := figure(&b.Runs[i]); under > 0 {
			ratios = append(ratios, figure(&a.Runs[i])/under)
		}
	}
	return median(ratios)
}

var tableHeader = []string{"contestant", "answer", "orders/s", "CPU s per million", "peak RSS", "first answer",
	"our speed : its", "its CPU : ours", "its RSS : ours"}

// table is the results as Markdown, compared with those of the first one. An answer that
// is wrong has no figures.
func table(results []Result) string {
	var rows [][]string
	for i := range results {
		rows = append(rows, row(&results[i], &results[0]))
	}
	return markdown(tableHeader, rows)
}

func row(r, base *Result) []string {
	cells := make([]string, len(tableHeader))
	for i := range cells {
		cells[i] = "-"
	}
	cells[0] = r.Name
	switch bad := r.wrong(); {
	case len(r.Runs) == 0:
		cells[1] = r.Note
		return cells
	case bad != nil && bad.Err != nil:
		cells[1] = failure(bad.Err)
		return cells
	case bad != nil:
		cells[1] = bad.Verdict.String()
		return cells
	}
	if r.Runs[0].Counts {
		cells[1] = "exact"
	}
	cells[2] = speed(median(r.of(speedOf)))
	cells[3] = fmt.Sprintf("%.3g", median(r.of(cpuOfRun)))
	cells[4] = megabytes(int64(median(r.of(rssOf))))
	cells[5] = fmt.Sprintf("%.2f s", median(r.of(firstOf)))
	if r != base && len(base.Runs) > 0 && base.wrong() == nil {
		cells[6] = times(ratio(base, r, speedOf))
		cells[7] = times(ratio(r, base, cpuOfRun))
		cells[8] = times(ratio(r, base, rssOf))
	}
	return cells
}

// failure is an error as one cell.
func failure(err error) string {
	if errors.Is(err, errLimit) || errors.Is(err, errMissing) && !strings.Contains(err.Error(), "\n") {
		return err.Error()
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return "failed: " + strings.ReplaceAll(line, "|", "/")
}

// wrongs tells of the answers that were wrong, with the figures that they have not in the
// table.
func wrongs(results []Result) string {
	var text strings.Builder
	for i := range results {
		r := &results[i]
		bad := r.wrong()
		if bad == nil || bad.Err != nil {
			continue
		}
		if text.Len() == 0 {
			text.WriteString("\nWrong answers, and what they took all the same:\n\n")
		}
		fmt.Fprintf(&text, "- %s, ", r.Name)
		for j := range r.Runs {
			if j > 0 {
				text.WriteString("; then ")
			}
			text.WriteString(r.Runs[j].Verdict.String())
		}
		fmt.Fprintf(&text, ": %s orders/s, %.3g s of CPU per million, %s", speed(median(r.of(speedOf))), median(r.of(cpuOfRun)), megabytes(int64(median(r.of(rssOf)))))
		if base := &results[0]; i > 0 && base.wrong() == nil {
			fmt.Fprintf(&text, " (our speed is %s its, its CPU %s ours, its memory %s ours)",
				times(ratio(base, r, speedOf)), times(ratio(r, base, cpuOfRun)), times(ratio(r, base, rssOf)))
		}
		text.WriteString(".\n")
	}
	return text.String()
}
