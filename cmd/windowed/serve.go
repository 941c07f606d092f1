package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"windowed/internal/api"
	"windowed/internal/exit"
)

func sprintf(format string, args []any) string { return fmt.Sprintf(format, args...) }

// serve answers over HTTP until the job is closed. If the default address is taken, any
// free port is; a chosen one that is taken is an error.
func (j *job) serve(answers *api.Answers) error {
	addr := j.cmd.HTTP
	if addr == "" {
		return nil
	}
	l, err := net.Listen("tcp", addr)
	if err != nil && addr == defaultHTTP {
		j.log.Info("the default --http address is taken; another port is used", "taken", addr)
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return exit.Errorf(exit.Usage, "--http: %w", err)
	}
	server := &http.Server{
		Handler: answers.Handler(), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
	}
	go func() {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			j.log.Error("http", "error", err)
		}
	}()
	j.closers = append(j.closers, func() error {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		return errors.Join(j.dir.Retract(), server.Shutdown(ctx))
	})
	j.log.Info("answering", "http", "http://"+l.Addr().String())
	return j.dir.Announce(l.Addr().String())
}

// isLoopback says whether an address can only be reached from this machine.
func isLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
