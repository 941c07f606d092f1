package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"path"
	"strconv"
	"strings"
)

// format is a form of an answer.
type format string

const (
	jsonFormat   format = "json"
	csvFormat    format = "csv"
	ndjsonFormat format = "ndjson"
)

// mediaTypes are the forms and how Accept names them; the first one wins a tie.
var mediaTypes = []struct {
	format format
	media  string
	header string
}{
	{jsonFormat, "application/json", "application/json"},
	{csvFormat, "text/csv", "text/csv; charset=utf-8"},
	{ndjsonFormat, "application/x-ndjson", "application/x-ndjson"},
}

// tabular is an answer that has rows too.
type tabular interface {
	Table() Table
	lines() []any // of ndjson
}

// chosen is the form a request wants: by the parameter format, else by Accept.
func chosen(r *http.Request, p *params) format {
	if p.has("format") {
		return format(p.choice("format", "", string(jsonFormat), string(csvFormat), string(ndjsonFormat)))
	}
	accept := strings.Join(r.Header.Values("Accept"), ",")
	if strings.TrimSpace(accept) == "" {
		return jsonFormat
	}
	best, found := 0.0, format("")
	for _, m := range mediaTypes {
		if q := quality(accept, m.media); q > best {
			best, found = q, m.format
		}
	}
	return found
}

// quality is how much an Accept header wants a media type: by the most exact range that
// names it (RFC 9110, 12.5.1).
func quality(accept, media string) float64 {
	best, exactness := 0.0, -1
	for _, part := range strings.Split(accept, ",") {
		fields := strings.Split(part, ";")
		span := strings.ToLower(strings.TrimSpace(fields[0]))
		exact := -1
		switch kind, _, _ := strings.Cut(media, "/"); span {
		case "*/*":
			exact = 0
		case kind + "/*":
			exact = 1
		case media:
			exact = 2
		}
		if exact <= exactness {
			continue
		}
		q := 1.0
		for _, field := range fields[1:] {
			if name, value, _ := strings.Cut(strings.TrimSpace(field), "="); strings.EqualFold(name, "q") {
				q, _ = strconv.ParseFloat(value, 64)
			}
		}
		best, exactness = q, exact
	}
	return best
}

// encode is the body of an answer in a form; false if it does not have that form.
func encode(answer any, f format) (body []byte, ok bool, err error) {
	var b bytes.Buffer
	rows, isTabular := answer.(tabular)
	switch {
	case f == jsonFormat:
		err = json.NewEncoder(&b).Encode(answer)
	case !isTabular || f == "":
		return nil, false, nil
	case f == csvFormat:
		table := rows.Table()
		err = table.WriteCSV(&b)
	default:
		out := json.NewEncoder(&b)
		for _, line := range rows.lines() {
			if err = out.Encode(line); err != nil {
				break
			}
		}
	}
	return b.Bytes(), true, err
}

// describe sets what a form says of itself. A csv that was asked for by parameter, by a
// browser most likely, is to be saved.
func describe(h http.Header, r *http.Request, f format, asked bool) {
	for _, m := range mediaTypes {
		if m.format == f {
			h.Set("Content-Type", m.header)
		}
	}
	h.Set("Vary", "Accept")
	if asked && f == csvFormat {
		name := strings.Map(func(c rune) rune {
			if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
				return c
			}
			return -1
		}, path.Base(path.Dir(r.URL.Path+"/")))
		h.Set("Content-Disposition", `attachment; filename="windowed-`+name+`.csv"`)
	}
}
