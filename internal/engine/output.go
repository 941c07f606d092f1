package engine

import (
	"bytes"
	"encoding/json"
	"fmt"

	"windowed/state"
	"windowed/window"
)

// Type of an Output.
type Type uint8

// A snapshot may change; a final says the last word on a window, or on one revision of
// it.
const (
	Snapshot Type = iota
	Final
)

// String is the value of the output record's `type` header.
func (t Type) String() string {
	if t == Final {
		return "final"
	}
	return "snapshot"
}

// Schema names the format of output values; fields are only ever added to it.
const Schema = "windowed.top/v1"

// Output is one record for the output topic.
type Output struct {
	Type     Type
	Scope    window.Scope
	End      int64 // of the window, ms
	Revision uint32
	Records  uint64
	Total    uint64 // portions
	Top      []state.Entry
}

// Key is the record's key: the scope as tsv writes it.
func (o *Output) Key() []byte { return []byte(o.Scope.String()) }

// Ranked is one line of a top list as JSON.
type Ranked struct {
	Rank  int    `json:"rank"`
	Drink string `json:"drink"`
	Count uint64 `json:"count"`
}

// Rank numbers the entries of a top list.
func Rank(top []state.Entry) []Ranked {
	ranked := make([]Ranked, len(top))
	for i, e := range top {
		ranked[i] = Ranked{Rank: i + 1, Drink: e.Drink, Count: e.Count}
	}
	return ranked
}

type outputValue struct {
	Schema   string   `json:"schema"`
	Scope    string   `json:"scope"`
	Start    string   `json:"start,omitempty"`
	End      string   `json:"end,omitempty"`
	Revision *uint32  `json:"revision,omitempty"`
	Records  uint64   `json:"records"`
	Total    uint64   `json:"total"`
	Top      []Ranked `json:"top"`
}

// Value is the record's value. It holds only what input and configuration decide, so
// the finals of two runs over the same topic are equal to the byte.
func (o *Output) Value() ([]byte, error) {
	v := outputValue{Schema: Schema, Scope: "all-time", Records: o.Records, Total: o.Total, Top: Rank(o.Top)}
	if !o.Scope.AllTime {
		v.Scope = "window"
		v.Start, v.End = window.FormatTime(o.Scope.Start), window.FormatTime(o.End)
		v.Revision = &o.Revision
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode output of %v: %w", o.Scope, err)
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
