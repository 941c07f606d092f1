package kafka

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// Security is how a client proves who it is and checks who the broker is.
type Security struct {
	TLS        bool
	CAFile     string // PEM; empty: the system's roots
	CertFile   string // PEM, with KeyFile: mutual TLS
	KeyFile    string
	ServerName string

	Mechanism string // "", PLAIN, SCRAM-SHA-256, SCRAM-SHA-512
	Username  string
	Password  string
	// Insecure allows PLAIN without TLS, which sends the password readably.
	Insecure bool
}

func (s *Security) options() ([]kgo.Opt, error) {
	var opts []kgo.Opt
	if s.TLS || s.CAFile != "" || s.CertFile != "" {
		config, err := s.tls()
		if err != nil {
			return nil, err
		}
		opts = append(opts, kgo.DialTLSConfig(config))
	}
	switch strings.ToUpper(s.Mechanism) {
	case "":
		return opts, nil
	case "PLAIN":
		if len(opts) == 0 && !s.Insecure {
			return nil, errors.New("SASL PLAIN without TLS would send the password readably: use --tls, SCRAM, or --insecure-sasl")
		}
		return append(opts, kgo.SASL(plain.Auth{User: s.Username, Pass: s.Password}.AsMechanism())), nil
	case "SCRAM-SHA-256":
		return append(opts, kgo.SASL(scram.Auth{User: s.Username, Pass: s.Password}.AsSha256Mechanism())), nil
	case "SCRAM-SHA-512":
		return append(opts, kgo.SASL(scram.Auth{User: s.Username, Pass: s.Password}.AsSha512Mechanism())), nil
	}
	return nil, fmt.Errorf("SASL mechanism %q is not one of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512", s.Mechanism)
}

func (s *Security) tls() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: s.ServerName}
	if s.CAFile != "" {
		pem, err := os.ReadFile(s.CAFile)
		if err != nil {
			return nil, fmt.Errorf("read --tls-ca: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("--tls-ca %s holds no PEM certificate", s.CAFile)
		}
	}
	if s.CertFile != "" {
		cert, err := tls.LoadX509KeyPair(s.CertFile, s.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("load --tls-cert and --tls-key: %w", err)
		}
		config.Certificates = []tls.Certificate{cert}
	}
	return config, nil
}
