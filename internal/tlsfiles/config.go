// Package tlsfiles makes TLS configurations from files named by flags.
package tlsfiles

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
)

// Files are the PEM files of one connection.
type Files struct {
	CA         string // empty: the system's roots
	Cert, Key  string // empty: no client certificate
	ServerName string // to expect in the server's certificate; empty: the host's

	// Flags is what the flags that named the files begin with, such as --tls, for
	// messages: --tls-ca.
	Flags string
}

// Config reads the files.
func (f *Files) Config() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: f.ServerName}
	if f.CA != "" {
		pem, err := os.ReadFile(f.CA)
		if err != nil {
			return nil, fmt.Errorf("read %s-ca: %w", f.Flags, err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s-ca %s holds no PEM certificate", f.Flags, f.CA)
		}
	}
	if f.Cert != "" {
		cert, err := tls.LoadX509KeyPair(f.Cert, f.Key)
		if err != nil {
			return nil, fmt.Errorf("load %s-cert and %s-key: %w", f.Flags, f.Flags, err)
		}
		config.Certificates = []tls.Certificate{cert}
	}
	return config, nil
}
