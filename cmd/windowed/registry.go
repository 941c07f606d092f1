package main

import (
	"log/slog"
	"os"
	"strings"

	"windowed/internal/event"
	"windowed/internal/exit"
	"windowed/internal/tlsfiles"
	"windowed/internal/wire"
)

// registryFlags say what the values of records are, and where their schemas are.
type registryFlags struct {
	SchemaRegistry []string `help:"Schema registry to ask for the schemas that records name, http(s)://host:port; several are tried in turn." placeholder:"URL"`

	SchemaRegistryUsername     string `help:"User name, for basic authentication."`
	SchemaRegistryPasswordFile string `help:"File with the password; or set WINDOWED_SCHEMA_REGISTRY_PASSWORD." placeholder:"FILE"`
	SchemaRegistryTokenFile    string `help:"File with a bearer token; or set WINDOWED_SCHEMA_REGISTRY_TOKEN." placeholder:"FILE"`
	SchemaRegistryCA           string `name:"schema-registry-ca" help:"CA certificates, PEM." placeholder:"FILE"`
	SchemaRegistryCert         string `help:"Client certificate, PEM." placeholder:"FILE"`
	SchemaRegistryKey          string `help:"Client key, PEM." placeholder:"FILE"`
	SchemaRegistryServerName   string `help:"Name to expect in the registry's certificate."`
	JSONSchemaValidate         bool   `name:"json-schema-validate" help:"Refuse values that are not as their JSON Schema says."`
}

// options are what records of a topic are decoded by. If they have Schemas, they must be
// closed.
func (f *registryFlags) options(format wire.Format, mapping *event.Mapping, topic string, log *slog.Logger) (_ *wire.Options, err error) {
	o := &wire.Options{Mapping: mapping, Format: format}
	if len(f.SchemaRegistry) > 0 && format != wire.JSON {
		if o.Schemas, err = f.schemas(topic, log); err != nil {
			return nil, err
		}
	}
	if err := o.Check(); err != nil {
		if o.Schemas != nil {
			o.Schemas.Close()
		}
		return nil, exit.With(exit.Usage, err)
	}
	return o, nil
}

func (f *registryFlags) schemas(topic string, log *slog.Logger) (*wire.Schemas, error) {
	password, err := secret("SCHEMA_REGISTRY_PASSWORD", "schema-registry-password-file", f.SchemaRegistryPasswordFile)
	if err != nil {
		return nil, err
	}
	token, err := secret("SCHEMA_REGISTRY_TOKEN", "schema-registry-token-file", f.SchemaRegistryTokenFile)
	if err != nil {
		return nil, err
	}
	s, err := wire.NewSchemas(wire.Config{
		URLs: f.SchemaRegistry, Username: f.SchemaRegistryUsername, Password: password, Token: token,
		TLS: tlsfiles.Files{
			CA: f.SchemaRegistryCA, Cert: f.SchemaRegistryCert, Key: f.SchemaRegistryKey, ServerName: f.SchemaRegistryServerName,
			Flags: "--schema-registry",
		},
		UserAgent: "windowed/" + version, Topic: topic, Validate: f.JSONSchemaValidate, Log: log,
	})
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	return s, nil
}

// secret is the content of a file that a flag names, else an environment variable.
func secret(variable, flag, file string) (string, error) {
	if file == "" {
		return os.Getenv(envPrefix + variable), nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", exit.Errorf(exit.Usage, "read --%s: %w", flag, err)
	}
	return strings.TrimRight(string(text), "\r\n"), nil
}

// decoders lets the job decode records by the flags.
func (j *job) decoders() error {
	if j.cmd.Format == "" {
		return nil // it reads no orders
	}
	mapping, err := event.NewMapping(j.cfg.Order)
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	format, err := j.cmd.formatFlag.values()
	if err != nil {
		return err
	}
	options, err := j.cmd.registryFlags.options(format, mapping, j.cmd.OrdersTopic, j.log)
	if err != nil {
		return err
	}
	j.values = options
	j.cfg.NewDecoder = func() (event.Reader, error) { return options.NewDecoder() }
	if schemas := options.Schemas; schemas != nil {
		j.schemas = schemas
		j.closers = append(j.closers, func() error { schemas.Close(); return nil })
	}
	return nil
}
