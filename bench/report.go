package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// The marks around the section that this program writes.
const (
	markBegin = "<!-- bench: begin (written by make bench-full) -->"
	markEnd   = "<!-- bench: end -->"
)

// report is all that was seen, by scenario.
type report struct {
	machine string
	parts   map[string]string
}

// titles of the scenarios, in the order of the report.
var titles = []struct{ scenario, title string }{
	{"main", "All contestants"},
	{"uniform", "100,000 drinks, all ordered alike"},
	{"latency", "From produce to queryable"},
	{"backlog", "Memory under a backlog"},
	{"restore", "Restore against reading the changelog"},
	{"replay", "Files"},
}

// add adds what a scenario has to tell.
func (r *report) add(scenario, text string) {
	if r.parts == nil {
		r.parts = make(map[string]string)
	}
	r.parts[scenario] += text
}

// text is the report as Markdown.
func (r *report) text() string {
	text := r.machine
	for _, t := range titles {
		if part, ok := r.parts[t.scenario]; ok {
			text += fmt.Sprintf("\n### %s\n\n%s", t.title, part)
		}
	}
	return strings.TrimSuffix(text, "\n") + "\n"
}

// write replaces the section between the marks of a file.
func (r *report) write(file string) error {
	old, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("write the results: %w", err)
	}
	text, err := replaceSection(string(old), r.text())
	if err != nil {
		return fmt.Errorf("write the results to %s: %w", file, err)
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

// replaceSection replaces what is between the marks, and nothing else.
func replaceSection(old, section string) (string, error) {
	begin, end := strings.Index(old, markBegin), strings.Index(old, markEnd)
	if begin < 0 || end < begin || strings.Count(old, markBegin) > 1 || strings.Count(old, markEnd) > 1 {
		return "", errors.New("it needs one line " + markBegin + " and one line " + markEnd + " below it")
	}
	return old[:begin] + markBegin + "\n\n" + section + "\n" + old[end:], nil
}
