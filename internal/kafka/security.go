package kafka

import (
	"crypto/tls"
	"errors"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"windowed/internal/tlsfiles"
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
	config, err := s.tls()
	if err != nil {
		return nil, err
	}
	if config != nil {
		opts = append(opts, kgo.DialTLSConfig(config))
	}
	mechanism, err := s.mechanism()
	if err != nil {
		return nil, err
	}
	if mechanism != nil {
		opts = append(opts, kgo.SASL(mechanism))
	}
	return opts, nil
}

func (s *Security) encrypted() bool { return s.TLS || s.CAFile != "" || s.CertFile != "" }

// tls is nil without TLS.
func (s *Security) tls() (*tls.Config, error) {
	if !s.encrypted() {
		return nil, nil
	}
	files := tlsfiles.Files{CA: s.CAFile, Cert: s.CertFile, Key: s.KeyFile, ServerName: s.ServerName, Flags: "--tls"}
	return files.Config()
}

// mechanism is nil if the brokers do not want to know who we are.
func (s *Security) mechanism() (sasl.Mechanism, error) {
	switch strings.ToUpper(s.Mechanism) {
	case "":
		return nil, nil
	case "PLAIN":
		if !s.encrypted() && !s.Insecure {
			return nil, errors.New("SASL PLAIN without TLS would send the password readably: use --tls, SCRAM, or --insecure-sasl")
		}
		return plain.Auth{User: s.Username, Pass: s.Password}.AsMechanism(), nil
	case "SCRAM-SHA-256":
		return scram.Auth{User: s.Username, Pass: s.Password}.AsSha256Mechanism(), nil
	case "SCRAM-SHA-512":
		return scram.Auth{User: s.Username, Pass: s.Password}.AsSha512Mechanism(), nil
	}
	return nil, fmt.Errorf("SASL mechanism %q is not one of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512", s.Mechanism)
}
