package main

import (
	"fmt"
	"strings"
	"time"

	"windowed/internal/inspect"
)

// command is what counts the records in the way that was found.
func (c *inspectCmd) command(r *inspect.Report) string {
	if r.Problem != "" {
		return ""
	}
	words := []string{"windowed"}
	if c.File != "" {
		words = append(words, "replay")
		if c.Format != "auto" {
			words = append(words, "--format="+c.Format)
		}
		if c.Delimiter != "" {
			words = append(words, "--delimiter="+inspect.Quote(c.Delimiter))
		}
		if c.Header != "auto" {
			words = append(words, "--header="+c.Header)
		}
	} else {
		words = append(words, c.topicWords()...)
	}
	words = append(words, r.Flags()...)
	if c.Window != time.Hour {
		words = append(words, "--window="+spanText(c.Window))
	}
	if r.Grace != time.Minute {
		words = append(words, "--grace="+spanText(r.Grace))
	}
	if c.Top != 10 {
		words = append(words, fmt.Sprintf("--top=%d", c.Top))
	}
	if c.File != "" {
		words = append(words, inspect.Quote(c.File))
	}
	return strings.Join(words, " ")
}

// topicWords are the flags by which the topic and the registry were reached.
func (c *inspectCmd) topicWords() []string {
	var words []string
	flag := func(name, value string) {
		if value != "" {
			words = append(words, "--"+name+"="+inspect.Quote(value))
		}
	}
	is := func(name string, set bool) {
		if set {
			words = append(words, "--"+name)
		}
	}
	flag("brokers", strings.Join(c.Brokers, ","))
	if c.OrdersTopic != "brew.orders.v1" {
		flag("orders-topic", c.OrdersTopic)
	}
	is("tls", c.TLS)
	flag("tls-ca", c.TLSCA)
	flag("tls-cert", c.TLSCert)
	flag("tls-key", c.TLSKey)
	flag("tls-server-name", c.TLSServerName)
	flag("sasl-mechanism", c.SASLMechanism)
	flag("sasl-username", c.SASLUsername)
	flag("sasl-password-file", c.SASLPasswordFile)
	is("insecure-sasl", c.InsecureSASL)
	if c.Format != "auto" {
		flag("format", c.Format)
	}
	flag("schema-registry", strings.Join(c.SchemaRegistry, ","))
	flag("schema-registry-username", c.SchemaRegistryUsername)
	flag("schema-registry-password-file", c.SchemaRegistryPasswordFile)
	flag("schema-registry-token-file", c.SchemaRegistryTokenFile)
	flag("schema-registry-ca", c.SchemaRegistryCA)
	flag("schema-registry-cert", c.SchemaRegistryCert)
	flag("schema-registry-key", c.SchemaRegistryKey)
	flag("schema-registry-server-name", c.SchemaRegistryServerName)
	is("json-schema-validate", c.JSONSchemaValidate)
	return words
}

// spanText is a duration without the units that are zero, such as 12h.
func spanText(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
