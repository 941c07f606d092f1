package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// completions are what the program offers for a line, as bash asks.
func completions(line, word string) []string {
	return strings.Fields(callWith([]string{"COMP_LINE=" + line}, "windowed", word, "before").out)
}

// TestCompletion completes commands, flags and values.
func TestCompletion(t *testing.T) {
	for _, c := range []struct{ line, word, want string }{
		{"windowed to", "to", "top topics"},
		{"windowed he", "he", "healthcheck"},
		{"windowed --log-f", "--log-f", "--log-format"},
		{"windowed --late ", "", "dead-letter amend"},
		{"windowed run --guarantee ", "", "exactly-once at-least-once"},
		{"windowed top --wi", "--wi", "--window"},
		{"windowed top -o ", "", "table json csv tsv"},
		{"windowed top -o c", "c", "csv"},
		{"windowed top --output=j", "j", "json"},                   // bash ends words at =
		{"windowed top --output=j", "--output=j", "--output=json"}, // others do not
		{"windowed top --output=", "=", "table json csv tsv"},
		{"windowed topics c", "c", "check create"},
		{"windowed topics create --rep", "--rep", "--replication-factor"},
		{"windowed completion ", "", "--config --help --log-format --log-level bash fish zsh"},
		{"windowed nothing --x", "--x", ""},
	} {
		if have := strings.Join(completions(c.line, c.word), " "); have != c.want {
			t.Errorf("%q: %s, not %s", c.line, have, c.want)
		}
	}
	if first := completions("windowed ", ""); !slices.Contains(first, "replay") || !slices.Contains(first, "--brokers") {
		t.Errorf("at first: %v", first)
	}
	fish := callWith([]string{"COMP_LINE=windowed top --w"})
	fish.must(t, 0, "--watch\n--window\n")
	if got := callWith([]string{"COMP_LINE=x"}, "version"); got.out != "windowed dev\n" {
		t.Errorf("a command while a shell completes: %q", got.out)
	}
}

// TestCompletionScripts prints the scripts; bash is asked what it makes of its own.
func TestCompletionScripts(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		call("completion", shell).must(t, 0, "complete", "windowed")
	}
	call("completion", "tcsh").must(t, 2, "bash", "fish")
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here")
	}
	script := call("completion", "bash").out
	out, err := exec.Command(bash, "--norc", "-c", script+"\ncomplete -p windowed").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "windowed") {
		t.Errorf("%v: %s", err, out)
	}
}
