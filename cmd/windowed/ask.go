package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"windowed/internal/api"
	"windowed/internal/exit"
	"windowed/internal/instance"
)

// askFlags say which running windowed to ask.
type askFlags struct {
	Server  string        `help:"Address of the running windowed, host:port; default: the one that uses --state." placeholder:"HOST:PORT"`
	State   string        `help:"State directory of the running windowed." default:"./state" type:"path"`
	Timeout time.Duration `help:"How long to wait for an answer." default:"10s"`
}

// defaultHTTP is where run answers unless told otherwise.
const defaultHTTP = "127.0.0.1:8080"

// ask gets a path and decodes the answer into v; it returns the answer's bytes too.
func (f *askFlags) ask(path string, q url.Values, v any) ([]byte, error) {
	server, from := f.Server, ""
	if server == "" {
		file := instance.AddrFile(f.State)
		addr, ok, err := instance.ReadAddr(file)
		switch {
		case err != nil:
			return nil, err
		case ok:
			server, from = addr, file
		default:
			server = defaultHTTP
		}
	}
	u := url.URL{Scheme: "http", Host: server, Path: path, RawQuery: q.Encode()}
	client := http.Client{Timeout: f.Timeout}
	resp, err := client.Get(u.String())
	if err != nil {
		if from != "" {
			return nil, exit.Errorf(exit.NotReady, "ask the windowed at %s: %w; the address is from %s: if no windowed runs, the file is left over and can be removed", server, err, from)
		}
		return nil, exit.Errorf(exit.NotReady, "ask the windowed at %s: %w; is it running? --server or --state name another one", server, err)
	}
	defer resp.Body.Close()
	var body json.RawMessage
	if err := json.NewDecoder(resp.Body).Decode(&body); err != nil {
		return nil, fmt.Errorf("read the answer of %s: %w", server, err)
	}
	if resp.StatusCode != http.StatusOK {
		return nil, refused(resp.StatusCode, body)
	}
	if err := json.Unmarshal(body, v); err != nil {
		return nil, fmt.Errorf("read the answer of %s: %w", server, err)
	}
	return body, nil
}

func refused(status int, body []byte) error {
	var p api.Problem
	if err := json.Unmarshal(body, &p); err != nil || p.Detail == "" {
		return fmt.Errorf("the answer is %d: %s", status, body)
	}
	code := exit.Failure
	switch status {
	case http.StatusServiceUnavailable, http.StatusNotFound:
		code = exit.NotReady
	case http.StatusBadRequest, http.StatusGone:
		code = exit.Usage
	}
	return exit.With(code, errors.New(p.Detail))
}
