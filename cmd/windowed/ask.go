package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"windowed/internal/api"
	"windowed/internal/exit"
	"windowed/internal/instance"
)

// askFlags say which running windowed to ask.
type askFlags struct {
	Server        string        `help:"Address of the running windowed, host:port; default: the one that uses --state." placeholder:"HOST:PORT"`
	State         string        `help:"State directory of the running windowed." default:"./state" type:"path"`
	HTTPTokenFile string        `name:"http-token-file" help:"File with the token that it wants; or set WINDOWED_HTTP_TOKEN." placeholder:"FILE"`
	Timeout       time.Duration `help:"How long to wait for an answer." default:"10s"`
}

// defaultHTTP is where run answers unless told otherwise.
const defaultHTTP = "127.0.0.1:8080"

// asked is what came back.
type asked struct {
	body []byte
	etag string
	same bool // the answer is still the one with the etag that was sent
}

// ask gets a path and decodes the answer into v; it returns the answer's bytes too.
func (f *askFlags) ask(path string, q url.Values, v any) ([]byte, error) {
	got, err := f.get(context.Background(), path, q, "")
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(got.body, v); err != nil {
		return nil, fmt.Errorf("read the answer to %s: %w", path, err)
	}
	return got.body, nil
}

// get asks for a path; an answer known by etag need not be sent again.
func (f *askFlags) get(ctx context.Context, path string, q url.Values, etag string) (asked, error) {
	server, from, err := f.address()
	if err != nil {
		return asked{}, err
	}
	req, err := f.request(ctx, server, path, q, etag)
	if err != nil {
		return asked{}, err
	}
	client := http.Client{Timeout: f.Timeout}
	resp, err := client.Do(req)
	if err != nil {
		if from != "" {
			return asked{}, exit.Errorf(exit.NotReady, "ask the windowed at %s: %w; the address is from %s: if no windowed runs, the file is left over and can be removed", server, err, from)
		}
		return asked{}, exit.Errorf(exit.NotReady, "ask the windowed at %s: %w; is it running? --server or --state name another one", server, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return asked{}, exit.Errorf(exit.NotReady, "read the answer of %s: %w", server, err)
	case resp.StatusCode == http.StatusNotModified:
		return asked{etag: etag, same: true}, nil
	case resp.StatusCode != http.StatusOK:
		return asked{}, refused(resp.StatusCode, body)
	case !json.Valid(body):
		return asked{}, fmt.Errorf("the answer of %s is not one of windowed: %.60q; --server or --state name another one", server, body)
	}
	return asked{body: body, etag: resp.Header.Get("ETag")}, nil
}

// address is whom to ask, and the file that says so.
func (f *askFlags) address() (server, from string, err error) {
	if f.Server != "" {
		return f.Server, "", nil
	}
	file := instance.AddrFile(f.State)
	addr, ok, err := instance.ReadAddr(file)
	if err != nil || ok {
		return addr, file, err
	}
	return defaultHTTP, "", nil
}

func (f *askFlags) request(ctx context.Context, server, path string, q url.Values, etag string) (*http.Request, error) {
	u := url.URL{Scheme: "http", Host: server, Path: path, RawQuery: q.Encode()}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, exit.Errorf(exit.Usage, "--server: %w", err)
	}
	token, err := httpToken(f.HTTPTokenFile)
	if err != nil {
		return nil, err
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if etag != "" {
		req.Header.Set("If-None-Match", etag)
	}
	return req, nil
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
	case http.StatusBadRequest, http.StatusGone, http.StatusForbidden:
		code = exit.Usage
	case http.StatusUnauthorized:
		return exit.Errorf(exit.Usage, "the windowed that was asked wants a token; give --http-token-file or WINDOWED_HTTP_TOKEN")
	}
	return exit.With(code, errors.New(p.Detail))
}
