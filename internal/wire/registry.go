package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/sr"

	"windowed/internal/tlsfiles"
)

// Config says how to reach a schema registry, and as whom.
type Config struct {
	URLs      []string // tried in turn
	Username  string   // with Password: basic authentication
	Password  string
	Token     string // bearer
	TLS       tlsfiles.Files
	UserAgent string

	// Topic is the topic of the records: if a schema is that of several subjects, the
	// newest version is looked for under <topic>-value first.
	Topic string
	// Validate has values checked against their JSON Schema.
	Validate bool
	Log      *slog.Logger

	grace, pause, keep time.Duration // 0: the defaults; for tests
}

// How the registry is asked.
const (
	askTimeout = 10 * time.Second
	// An id that is not registered is asked for again for askGrace: a registry's replica
	// may be behind the one that a producer has registered it with.
	askGrace = 3 * time.Second
	// Then its records are refused, and it is asked for again after keepMissing.
	keepMissing = 10 * time.Second
	// A registry that fails is asked again after firstPause, then after twice as long, and
	// so on up to lastPause.
	firstPause = 100 * time.Millisecond
	lastPause  = 5 * time.Second
)

// client makes the client of the registry.
func (c *Config) client() (*sr.Client, error) {
	secure := c.TLS.CA != "" || c.TLS.Cert != ""
	for _, address := range c.URLs {
		u, err := url.Parse(address)
		switch {
		case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
			return nil, fmt.Errorf("--schema-registry: %q is not an address such as https://registry:8081", address)
		case u.User != nil:
			return nil, errors.New("--schema-registry: credentials belong into --schema-registry-username and a password file or variable, not into the address")
		case u.Scheme == "http" && secure:
			return nil, fmt.Errorf("--schema-registry: %s is not https, so --schema-registry-ca and -cert would not be used", address)
		}
		secure = secure || u.Scheme == "https" && c.TLS.ServerName != ""
	}
	opts := []sr.ClientOpt{sr.URLs(c.URLs...), sr.UserAgent(cmp.Or(c.UserAgent, "windowed")), sr.LogLevel(sr.LogLevelNone)}
	if secure {
		config, err := c.TLS.Config()
		if err != nil {
			return nil, err
		}
		opts = append(opts, sr.DialTLSConfig(config))
	}
	switch {
	case c.Token != "" && c.Username != "":
		return nil, errors.New("the schema registry has a user name and a token: give one of them")
	case c.Token != "":
		opts = append(opts, sr.BearerToken(c.Token))
	case c.Username != "":
		opts = append(opts, sr.BasicAuth(c.Username, c.Password))
	}
	return sr.NewClient(opts...)
}

// missingError says that the registry answers, and knows no such schema.
type missingError struct{ text string }

func (e *missingError) Error() string { return e.text }

// uselessError says that a schema will never be of use.
type uselessError struct{ error }

// isMissing says whether the registry itself has said that something is not there: an
// answer 404 without its code comes from something else, such as a proxy.
func isMissing(err error) bool {
	var missing *missingError
	var answer *sr.ResponseError
	return errors.As(err, &missing) ||
		errors.As(err, &answer) && answer.StatusCode == http.StatusNotFound && answer.ErrorCode >= 40400 && answer.ErrorCode < 40500
}

// explained is the registry's error with what it answered.
func explained(err error) error {
	var answer *sr.ResponseError
	if !errors.As(err, &answer) {
		return err
	}
	hint := ""
	switch answer.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		hint = " (see --schema-registry-username and --schema-registry-token-file)"
	case http.StatusNotFound:
		hint = " (this is not the answer of a schema registry: is the address right?)"
	}
	return fmt.Errorf("%s %s: HTTP %d: %s%s", answer.Method, answer.URL, answer.StatusCode, cut(strings.Join(strings.Fields(answer.Error()), " ")), hint)
}

// named is a schema that another refers to by a name.
type named struct{ name, text string }

// load gets a schema with all it takes to use it. Its error is a missingError, a
// uselessError, or one that another attempt may not meet.
func (s *Schemas) load(ctx context.Context, id uint32) (*schema, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	text, err := s.client.SchemaByID(ctx, int(id))
	if isMissing(err) {
		return nil, &missingError{fmt.Sprintf("schema id %d is not registered at %s", id, strings.Join(s.config.URLs, ", "))}
	}
	if err != nil {
		return nil, err
	}
	references, err := s.references(ctx, text.References)
	if err != nil {
		if isMissing(err) {
			return nil, &missingError{fmt.Sprintf("schema id %d cannot be used: %v", id, err)}
		}
		return nil, err
	}
	return s.parse(ctx, id, &text, references)
}

// references gets what a schema refers to, each once and before those that refer to it.
func (s *Schemas) references(ctx context.Context, all []sr.SchemaReference) ([]named, error) {
	var found []named
	var visit func(all []sr.SchemaReference, depth int) error
	visit = func(all []sr.SchemaReference, depth int) error {
		for _, r := range all {
			if depth > 100 {
				return &missingError{"its references do not end"}
			}
			if slices.ContainsFunc(found, func(n named) bool { return n.name == r.Name }) {
				continue
			}
			schema, err := s.version(ctx, r.Subject, r.Version)
			if isMissing(err) {
				return &missingError{fmt.Sprintf("it refers to %s version %d, which is not registered", r.Subject, r.Version)}
			}
			if err != nil {
				return err
			}
			if err := visit(schema.References, depth+1); err != nil {
				return err
			}
			found = append(found, named{r.Name, schema.Schema.Schema})
		}
		return nil
	}
	return found, visit(all, 0)
}

// version gets a version of a subject, which never changes.
func (s *Schemas) version(ctx context.Context, subject string, version int) (sr.SubjectSchema, error) {
	key := fmt.Sprintf("%s %d", subject, version)
	s.mu.Lock()
	known, ok := s.versions[key]
	s.mu.Unlock()
	if ok {
		return known, nil
	}
	got, err := s.client.SchemaByVersion(ctx, subject, version)
	if err == nil {
		s.mu.Lock()
		s.versions[key] = got
		s.mu.Unlock()
	}
	return got, err
}

// newest gets the newest version of the schema's subject; nil if there is none, or if the
// registry does not tell subjects.
func (s *Schemas) newest(ctx context.Context, id uint32) (*sr.SubjectSchema, error) {
	subject := s.config.Topic + "-value"
	versions, err := s.client.SchemaVersionsByID(ctx, int(id))
	var answer *sr.ResponseError
	switch {
	case errors.As(err, &answer) && (answer.StatusCode == http.StatusNotFound || answer.StatusCode == http.StatusMethodNotAllowed):
	case err != nil:
		return nil, err
	case len(versions) > 0:
		subjects := make([]string, len(versions))
		for i := range versions {
			subjects[i] = versions[i].Subject
		}
		if !slices.Contains(subjects, subject) {
			subject = slices.Min(subjects)
		}
	}
	newest, err := s.client.SchemaByVersion(ctx, subject, -1)
	switch {
	case isMissing(err):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &newest, nil
}
