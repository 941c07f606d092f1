//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"time"
)

// The answers over HTTP, as a stranger would read them: by the documented names.
type (
	statusAnswer struct {
		Schema     string            `json:"schema"`
		Phase      string            `json:"phase"`
		Partitions []partitionAnswer `json:"partitions"`
		Owned      []int32           `json:"owned_partitions"`
		Records    uint64            `json:"records"`
		Counted    uint64            `json:"counted"`
		Portions   uint64            `json:"portions"`
		Late       uint64            `json:"late"`
		LateIdle   uint64            `json:"late_idle"`
		Amended    uint64            `json:"amended"`
		Invalid    map[string]uint64 `json:"invalid"`
		Skipped    uint64            `json:"skipped"`
		Rebuilds   uint64            `json:"session_rebuilds"`
		LastError  string            `json:"last_error"`
	}
	partitionAnswer struct {
		Partition int32 `json:"partition"`
		Next      int64 `json:"next_offset"`
		Idle      bool  `json:"idle"`
	}
	windowAnswer struct {
		Start        string  `json:"start"`
		End          string  `json:"end"`
		State        string  `json:"state"`
		Final        bool    `json:"final"`
		Revision     *uint32 `json:"revision"`
		Records      uint64  `json:"records"`
		Total        uint64  `json:"total"`
		Drinks       uint64  `json:"drinks"`
		LateRecords  uint64  `json:"late_records"`
		LatePortions uint64  `json:"late_portions"`
	}
	windowsAnswer struct {
		Schema    string         `json:"schema"`
		Windows   []windowAnswer `json:"windows"`
		Truncated bool           `json:"truncated"`
	}
	topAnswer struct {
		Schema  string        `json:"schema"`
		Scope   string        `json:"scope"`
		Window  *windowAnswer `json:"window"`
		Records uint64        `json:"records"`
		Total   uint64        `json:"total"`
		Drinks  uint64        `json:"drinks"`
		Top     []ranked      `json:"top"`
	}
	ranked struct {
		Rank  int    `json:"rank"`
		Drink string `json:"drink"`
		Count uint64 `json:"count"`
	}
)

var client = http.Client{Timeout: 10 * time.Second}

// address is where the program answers, as it says itself in its state directory.
func (g *program) address() string { return read(filepath.Join(g.place.state(), "http.addr")) }

// ask gets a path and decodes the answer.
func (g *program) ask(path string, v any) error {
	addr := g.address()
	if addr == "" {
		return fmt.Errorf("no http.addr yet; %s", lastLines(g.stderr.String(), 3))
	}
	resp, err := client.Get("http://" + addr + path)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s", path, resp.Status, body)
	}
	return json.Unmarshal(body, v)
}

// answer is ask where an answer must come.
func (g *program) answer(path string, v any) {
	g.t.Helper()
	if err := g.ask(path, v); err != nil {
		g.t.Fatal(err)
	}
}

func (g *program) status() statusAnswer {
	g.t.Helper()
	var s statusAnswer
	g.answer("/v1/status", &s)
	return s
}

func (g *program) windows() windowsAnswer {
	g.t.Helper()
	var w windowsAnswer
	g.answer("/v1/windows", &w)
	return w
}

// alive fails at once if the program has ended: no wait for it will succeed.
func (g *program) alive() {
	g.t.Helper()
	if g.exited() {
		g.t.Fatalf("windowed ended with exit code %d:\n%s", g.code, lastLines(g.stderr.String(), 20))
	}
}

// running waits until it counts.
func (g *program) running() *program {
	g.t.Helper()
	eventually(g.t, "phase running", func() error {
		g.alive()
		var s statusAnswer
		if err := g.ask("/v1/status", &s); err != nil {
			return err
		}
		if s.Phase != "running" {
			return fmt.Errorf("phase %s; %s", s.Phase, s.LastError)
		}
		return nil
	})
	return g
}

// reaches waits until every input partition is counted up to exactly these offsets.
func (g *program) reaches(ends map[int32]int64) *program {
	g.t.Helper()
	return g.until(ends, func(have, want int64) bool { return have == want })
}

// passes waits until every input partition is counted up to these offsets or further.
func (g *program) passes(ends map[int32]int64) *program {
	g.t.Helper()
	return g.until(ends, func(have, want int64) bool { return have >= want })
}

func (g *program) until(ends map[int32]int64, there func(have, want int64) bool) *program {
	g.t.Helper()
	eventually(g.t, fmt.Sprintf("next offsets %v", ends), func() error {
		g.alive()
		var s statusAnswer
		if err := g.ask("/v1/status", &s); err != nil {
			return err
		}
		have := make(map[int32]int64)
		for _, p := range s.Partitions {
			have[p.Partition] = p.Next
		}
		for p, end := range ends {
			if !there(have[p], end) {
				return fmt.Errorf("partition %d is at %d (%s; %s)", p, have[p], s.Phase, s.LastError)
			}
		}
		return nil
	})
	return g
}

// closed waits until no window is open and all have their final.
func (g *program) closed() *program {
	g.t.Helper()
	eventually(g.t, "all windows closed", func() error {
		g.alive()
		var all windowsAnswer
		if err := g.ask("/v1/windows", &all); err != nil {
			return err
		}
		for _, w := range all.Windows {
			if !w.Final {
				return fmt.Errorf("the window of %s is %s, with %d orders", w.Start, w.State, w.Records)
			}
		}
		return nil
	})
	return g
}
