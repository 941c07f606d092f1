package main

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// rawDir has streams as their owners publish them. They are not part of the project.
func rawDir(t *testing.T) string {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "shared", "data", "raw")
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("the raw streams are missing: %v", err)
		}
		t.Skip("the raw streams are not here")
	}
	return dir
}

// rawStreams are the streams, how they are counted, the digests of their counts for
// windows of an hour and a day, and what became of their records.
var rawStreams = []struct {
	file      string
	flags     string
	hour, day string
	hourFate  string
	dayFate   string
}{
	{"clicks.ndjson", "--time-field=t --time-unit=s --name=tz", "8afd0a5cabdba917", "75517a905eb5251f",
		`{"records":3560,"counted":2919,"late":0,"portions":2919,"invalid":{"invalid_drink":521,"no_timestamp":120},"examples":{"invalid_drink":"record 8: tz: is empty","no_timestamp":"record 14: neither the order nor the record has a timestamp"}}`, ""},
	{"flights.ndjson", "--time-field=date --time-layout=2006/01/02_15:04 --name=origin", "b8bc4203cb6d1a0c", "2a6a16fc2f7822de",
		`{"records":20000,"counted":20000,"late":0,"portions":20000}`, ""},
	{"rides.ndjson", "--time-field=timestamp --name=location", "248ca0fecb3924ef", "4a40f2f5cf9f7797",
		`{"records":7932,"counted":7932,"late":0,"portions":7932}`, ""},
	{"ratings.ndjson", "--time-field=timestamp --name=title --grace=0s", "a8f7da1e88017205", "16d47493adb586cd",
		`{"records":28,"counted":18,"late":10,"portions":28}`, `{"records":28,"counted":24,"late":4,"portions":28}`},
	{"ratings.ndjson", "--time-field=timestamp --name=title --grace=10h", "8097463e4524ccc1", "dce4085e97d1e0a8",
		`{"records":28,"counted":28,"late":0,"portions":28}`, ""},
	{"smoothies.csv", "--time-field=time --name=order_requested", "e66ba774adc02686", "28c2a4f71d3811f6",
		`{"records":50,"counted":50,"late":0,"portions":50}`, ""},
	{"smoothies.csv", "--time-field=time --name=ingredients --split=;", "e31cd8b017f80609", "61cf6730d88a4aa0",
		`{"records":50,"counted":50,"late":0,"portions":200}`, ""},
	{"coffee.csv", "--time-field=2 --name=6", "d30a286146db8f56", "6cd5e9f50db9a1da",
		`{"records":3636,"counted":3636,"late":0,"portions":3636}`, ""},
}

// TestRawStreams counts each stream by its mapping.
func TestRawStreams(t *testing.T) {
	dir := rawDir(t)
	for _, c := range rawStreams {
		var flags []string
		for _, flag := range strings.Fields(c.flags) {
			flags = append(flags, strings.ReplaceAll(flag, "_15", " 15"))
		}
		for window, want := range map[string][2]string{"1h": {c.hour, c.hourFate}, "24h": {c.day, c.dayFate}} {
			if want[1] == "" {
				want[1] = c.hourFate
			}
			got := call(append([]string{"replay", "-o", "tsv", "--top=3", "--window=" + window, filepath.Join(dir, c.file)}, flags...)...)
			if sum := digest(got.out); got.code != 0 || sum != want[0] || strings.TrimSpace(got.err) != want[1] {
				t.Errorf("%s %s, %s: exit %d, digest %s, %s, want %s, %s", c.file, c.flags, window, got.code, sum, got.err, want[0], want[1])
			}
		}
	}
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:16]
}

// TestInspectedCommands runs what inspect prints for each stream, as it stands.
func TestInspectedCommands(t *testing.T) {
	dir := rawDir(t)
	done := map[string]bool{}
	for _, c := range rawStreams {
		if done[c.file] {
			continue
		}
		done[c.file] = true
		for window, want := range map[string]string{"1h": c.hour, "24h": c.day} {
			if c.file == "ratings.ndjson" { // a grace is found that loses nothing
				want = map[string]string{"1h": "8097463e4524ccc1", "24h": "dce4085e97d1e0a8"}[window]
			}
			found := call("inspect", "--top=3", "--window="+window, filepath.Join(dir, c.file))
			found.must(t, 0, "to count them:")
			command := words(printedCommand(t, found.out))
			if command[0] != "windowed" {
				t.Fatalf("%s: the command is %q", c.file, command)
			}
			got := call(command[1:]...)
			if sum := digest(got.out); got.code != 0 || sum != want {
				t.Errorf("%s, %s: exit %d, digest %s, want %s: %q\n%s", c.file, window, got.code, sum, want, command, got.err)
			}
		}
	}
}

// printedCommand is the last line that inspect prints.
func printedCommand(t *testing.T, out string) string {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(out), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// words parts a line the way a shell does.
func words(line string) []string {
	var all []string
	for _, word := range regexp.MustCompile(`(?:'[^']*'|\\.|[^\s'\\])+`).FindAllString(line, -1) {
		word = regexp.MustCompile(`'([^']*)'`).ReplaceAllString(word, "$1")
		all = append(all, strings.ReplaceAll(word, `\'`, "'"))
	}
	return all
}
