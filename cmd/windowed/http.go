package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"windowed/internal/api"
	"windowed/internal/exit"
	"windowed/internal/metrics"
	"windowed/internal/page"
)

// httpFlags say where a windowed answers, and whom.
type httpFlags struct {
	HTTP          string   `name:"http" help:"Address to answer on; empty: none." default:"127.0.0.1:8080"`
	HTTPTokenFile string   `name:"http-token-file" help:"File with the token that requests must carry; or set WINDOWED_HTTP_TOKEN." placeholder:"FILE"`
	InsecureHTTP  bool     `name:"insecure-http" help:"Allow --http on an address that others can reach, without a token."`
	HTTPHost      []string `name:"http-host" help:"More host names to answer to on a loopback address, such as a reverse proxy's." placeholder:"NAME"`
	Pprof         string   `help:"Loopback address for profiles of the process; empty: none." placeholder:"HOST:PORT"`
}

// check refuses addresses that others can reach without protection.
func (f *httpFlags) check() error {
	token, err := httpToken(f.HTTPTokenFile)
	if err != nil {
		return err
	}
	if f.HTTP != "" && !isLoopback(f.HTTP) && token == "" && !f.InsecureHTTP {
		return exit.Errorf(exit.Usage, "--http=%s can be reached by others and has no protection; use a loopback address, --http-token-file, or --insecure-http if the network is trusted", f.HTTP)
	}
	if f.Pprof != "" && !isLoopback(f.Pprof) {
		return exit.Errorf(exit.Usage, "--pprof=%s can be reached by others, and profiles show too much; use a loopback address", f.Pprof)
	}
	return nil
}

// minToken is the fewest characters a token may have.
const minToken = 16

// httpToken is the token of a file, else that of the environment; empty if there is none.
func httpToken(file string) (string, error) {
	token := os.Getenv(envPrefix + "HTTP_TOKEN")
	if file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", exit.Errorf(exit.Usage, "read --http-token-file: %w", err)
		}
		token = strings.TrimSpace(string(text))
		if token == "" {
			return "", exit.Errorf(exit.Usage, "--http-token-file %s is empty; write a token into it: openssl rand -hex 32", file)
		}
	}
	if token != "" && len(token) < minToken {
		return "", exit.Errorf(exit.Usage, "the token for --http has %d characters; it needs %d or more: openssl rand -hex 32", len(token), minToken)
	}
	return token, nil
}

// serve answers over HTTP until the job is closed. If the default address is taken, any
// free port is; a chosen one that is taken is an error.
func (j *job) serve(answers *api.Answers) error {
	f := &j.cmd.httpFlags
	if err := j.profile(f.Pprof); err != nil || f.HTTP == "" {
		return err
	}
	token, err := httpToken(f.HTTPTokenFile)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", f.HTTP)
	if err != nil && f.HTTP == defaultHTTP {
		j.log.Info("the default --http address is taken; another port is used", "taken", f.HTTP)
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return exit.Errorf(exit.Usage, "--http: %w", err)
	}
	handler := api.NewServer(answers, api.Options{
		Token: token, Public: !isLoopback(f.HTTP), Hosts: f.HTTPHost, Page: page.Handler(), Metrics: j.metrics.Handler(),
	})
	j.metrics.Streams = handler.Streams
	server := newHTTP(handler, j.log)
	server.RegisterOnShutdown(handler.Close)
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

// newHTTP is a server that no slow or endless request can hold up. What clients do wrong is
// no more than a line at debug.
func newHTTP(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: h, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
	}
}

// watch makes the metrics of the job.
func (j *job) watch() {
	j.metrics = &metrics.Source{
		State: j.holder.get, Status: j.status, Orders: j.cmd.OrdersTopic, Changes: j.cmd.ChangelogTopic, Version: version,
		Restore: func() metrics.Restore { return j.follower.restore(time.Now()) },
	}
	if j.schemas != nil {
		j.metrics.Schemas = j.schemas.Stats
	}
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
