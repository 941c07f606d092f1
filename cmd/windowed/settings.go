package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

const envPrefix = "WINDOWED_"

// settings resolves flags that are not on the command line: from the environment, else
// from the --config file.
type settings struct {
	path string
	env  map[string]string // by flag name
	file map[string]any    // by flag name
}

func newSettings(args, env []string) (*settings, error) {
	s := &settings{env: make(map[string]string)}
	for _, kv := range env {
		key, value, ok := strings.Cut(kv, "=")
		if name, mine := strings.CutPrefix(key, envPrefix); ok && mine {
			s.env[strings.ReplaceAll(strings.ToLower(name), "_", "-")] = value
		}
	}
	s.path = s.env["config"]
	for i, arg := range args {
		if value, ok := strings.CutPrefix(arg, "--config="); ok {
			s.path = value
		} else if arg == "--config" && i+1 < len(args) {
			s.path = args[i+1]
		}
	}
	if s.path == "" {
		return s, nil
	}
	text, err := os.ReadFile(s.path)
	if err != nil {
		return nil, fmt.Errorf("read --config: %w", err)
	}
	if err := yaml.Unmarshal(text, &s.file); err != nil {
		return nil, fmt.Errorf("read --config %s: %w", s.path, err)
	}
	return s, nil
}

// check refuses keys of the file that are no flag: a typing error must not be ignored.
// Environment variables are not checked: orchestrators put their own there.
func (s *settings) check(app *kong.Application) error {
	known := map[string]bool{}
	kong.Visit(app, func(node kong.Visitable, next kong.Next) error {
		if flag, ok := node.(*kong.Flag); ok {
			known[flag.Name] = true
		}
		return next(nil)
	})
	var unknown []string
	for key := range s.file {
		if !known[key] {
			unknown = append(unknown, key)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	slices.Sort(unknown)
	return fmt.Errorf("--config %s: unknown key %q; keys are flag names without the dashes", s.path, unknown[0])
}

// Validate implements kong.Resolver.
func (s *settings) Validate(*kong.Application) error { return nil }

// Resolve implements kong.Resolver.
func (s *settings) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if flag.Name == "help" {
		return nil, nil
	}
	if value, ok := s.env[flag.Name]; ok {
		return value, nil
	}
	value, ok := s.file[flag.Name]
	if !ok {
		return nil, nil
	}
	switch v := value.(type) {
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = strings.ReplaceAll(fmt.Sprint(v[i]), ",", `\,`)
		}
		return strings.Join(parts, ","), nil
	case map[string]any:
		return nil, fmt.Errorf("--config %s: %s must be a value, not a map", s.path, flag.Name)
	}
	return fmt.Sprint(value), nil
}
