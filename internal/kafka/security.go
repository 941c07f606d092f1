package kafka

import (
	"errors"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"
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
	if s.TLS || s.CAFile != "" || s.CertFile != "" {
		files := tlsfiles.Files{CA: s.CAFile, Cert: s.CertFile, Key: s.KeyFile, ServerName: s.ServerName, Flags: "--tls"}
		config, err := files.Config()
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
