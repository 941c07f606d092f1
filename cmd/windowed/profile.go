package main

import (
	"errors"
	"net"
	"net/http"
	"net/http/pprof"

	"windowed/internal/exit"
)

// profile serves profiles of the process, on an address of their own that --pprof names:
// they must not be where the answers are.
func (j *job) profile(addr string) error {
	if addr == "" {
		return nil
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return exit.Errorf(exit.Usage, "--pprof: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	server := newHTTP(mux, j.log)
	go func() {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			j.log.Error("profiles", "error", err)
		}
	}()
	j.closers = append(j.closers, server.Close)
	j.log.Info("profiles", "http", "http://"+l.Addr().String()+"/debug/pprof/")
	return nil
}
