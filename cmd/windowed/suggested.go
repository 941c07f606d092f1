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
	if c.Retention != 24*time.Hour {
		words = append(words, "--retention="+spanText(c.Retention))
	}
	if c.Late != "dead-letter" {
		words = append(words, "--late="+c.Late)
	}
	if c.Noun != "drink" {
		words = append(words, "--noun="+inspect.Quote(c.Noun))
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
	topic, format := c.OrdersTopic, c.Format
	if topic == "brew.orders.v1" {
		topic = ""
	}
	if format == "auto" {
		format = ""
	}
	var words []string
	for _, flag := range []struct{ name, value string }{
		{"brokers", strings.Join(c.Brokers, ",")}, {"orders-topic", topic}, {"tls", only(c.TLS)}, {"tls-ca", c.TLSCA}, {"tls-cert", c.TLSCert}, {"tls-key", c.TLSKey},
		{"tls-server-name", c.TLSServerName}, {"sasl-mechanism", c.SASLMechanism}, {"sasl-username", c.SASLUsername}, {"sasl-password-file", c.SASLPasswordFile},
		{"insecure-sasl", only(c.InsecureSASL)}, {"format", format}, {"schema-registry", strings.Join(c.SchemaRegistry, ",")},
		{"schema-registry-username", c.SchemaRegistryUsername}, {"schema-registry-password-file", c.SchemaRegistryPasswordFile},
		{"schema-registry-token-file", c.SchemaRegistryTokenFile}, {"schema-registry-ca", c.SchemaRegistryCA}, {"schema-registry-cert", c.SchemaRegistryCert},
		{"schema-registry-key", c.SchemaRegistryKey}, {"schema-registry-server-name", c.SchemaRegistryServerName}, {"json-schema-validate", only(c.JSONSchemaValidate)},
	} {
		if flag.value != "" {
			words = append(words, "--"+flag.name+"="+inspect.Quote(flag.value))
		}
	}
	return words
}

// only is the value of a flag that is given if it is set.
func only(set bool) string {
	if set {
		return "true"
	}
	return ""
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
