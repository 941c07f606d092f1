package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"windowed/internal/exit"
	"windowed/internal/instance"
	"windowed/internal/kafka"
)

// kafkaFlags say how to reach the brokers, and which topics and group are ours.
type kafkaFlags struct {
	Brokers        []string `short:"B" help:"Brokers to begin with, host:port,... ." placeholder:"HOST:PORT"`
	DataDir        string   `help:"Directory of the embedded broker." default:"./data" type:"path"`
	OrdersTopic    string   `help:"Topic the orders are read from." default:"brew.orders.v1"`
	ChangelogTopic string   `help:"Compacted topic the counts are kept in." default:"brew.drink-count-changelog"`
	OutputTopic    string   `help:"Topic for snapshots and finals." default:"brew.drink-counts"`
	DlqTopic       string   `help:"Topic for orders that are refused or late." default:"brew.orders.dlq"`
	Group          string   `help:"Consumer group, and the first part of the transactional id." default:"drink-count"`

	TLS              bool   `name:"tls" help:"Use TLS."`
	TLSCA            string `name:"tls-ca" help:"CA certificates, PEM." placeholder:"FILE"`
	TLSCert          string `name:"tls-cert" help:"Client certificate, PEM." placeholder:"FILE"`
	TLSKey           string `name:"tls-key" help:"Client key, PEM." placeholder:"FILE"`
	TLSServerName    string `name:"tls-server-name" help:"Name to expect in the broker's certificate."`
	SASLMechanism    string `name:"sasl-mechanism" help:"PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512."`
	SASLUsername     string `name:"sasl-username" help:"User name."`
	SASLPasswordFile string `name:"sasl-password-file" help:"File with the password; or set WINDOWED_SASL_PASSWORD." placeholder:"FILE"`
	InsecureSASL     bool   `name:"insecure-sasl" help:"Allow PLAIN without TLS."`
}

// config is how to reach the brokers; Brokers is empty if the flags name none.
func (f *kafkaFlags) config(log *slog.Logger) (*kafka.Config, error) {
	password, err := secret("SASL_PASSWORD", "sasl-password-file", f.SASLPasswordFile)
	if err != nil {
		return nil, err
	}
	return &kafka.Config{
		Brokers: f.Brokers, Group: f.Group, ClientID: "windowed/" + version, Log: log,
		Topics: kafka.Topics{Orders: f.OrdersTopic, Changelog: f.ChangelogTopic, Output: f.OutputTopic, DeadLetters: f.DlqTopic},
		Security: kafka.Security{
			TLS: f.TLS, CAFile: f.TLSCA, CertFile: f.TLSCert, KeyFile: f.TLSKey, ServerName: f.TLSServerName,
			Mechanism: f.SASLMechanism, Username: f.SASLUsername, Password: password, Insecure: f.InsecureSASL,
		},
	}, nil
}

// running is config with the brokers of the embedded one that runs on --data-dir, if the
// flags name none.
func (f *kafkaFlags) running(log *slog.Logger) (*kafka.Config, error) {
	cfg, err := f.config(log)
	if err != nil || len(cfg.Brokers) > 0 {
		return cfg, err
	}
	file := kafka.AddrFile(f.DataDir)
	addr, ok, err := instance.ReadAddr(file)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, exit.Errorf(exit.Usage, "which brokers? give --brokers, or start windowed with its embedded broker first (no %s)", file)
	}
	cfg.Brokers = strings.Split(addr, ",")
	return cfg, nil
}

// once connects for a command that does one thing, within timeout.
func (f *kafkaFlags) once(std streams, c *cli, timeout time.Duration) (context.Context, context.CancelFunc, *kafka.Config, *kafka.Admin, error) {
	log, err := c.logger(std)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	cfg, err := f.running(log)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	admin, err := kafka.NewAdmin(cfg)
	if err != nil {
		return nil, nil, nil, nil, exit.With(exit.Usage, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	if err := admin.Ping(ctx); err != nil {
		cancel()
		admin.Close()
		if len(f.Brokers) == 0 {
			return nil, nil, nil, nil, exit.Errorf(exit.NotReady, "%w; the address is from %s: if no windowed runs there, the file is left over and can be removed", err, kafka.AddrFile(f.DataDir))
		}
		return nil, nil, nil, nil, err
	}
	return ctx, cancel, cfg, admin, nil
}

// reach waits for the brokers, with a line that says which and why.
func reach(ctx context.Context, admin *kafka.Admin, log *slog.Logger) error {
	for {
		try, cancel := context.WithTimeout(ctx, 5*time.Second)
		err := admin.Ping(try)
		cancel()
		if err == nil || ctx.Err() != nil {
			return ctx.Err()
		}
		log.Warn("cannot reach the brokers; trying again", "error", err)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(2 * time.Second):
		}
	}
}

// checked looks at the topics and refuses to run on ones that would lose counts.
func checked(ctx context.Context, admin *kafka.Admin, log *slog.Logger) (kafka.Layout, error) {
	layout, found, err := admin.Check(ctx)
	if err != nil {
		return layout, err
	}
	var problems []string
	for _, f := range found {
		if f.Warning {
			log.Debug("topic check", "topic", f.Topic, "warning", f.Problem, "fix", f.Fix)
			continue
		}
		problems = append(problems, fmt.Sprintf("topic %s %s\n    fix: %s", f.Topic, f.Problem, f.Fix))
	}
	if len(problems) > 0 {
		return layout, exit.Errorf(exit.Usage, "the topics are not as they must be:\n  %s", strings.Join(problems, "\n  "))
	}
	return layout, nil
}
