package wire

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"

	"windowed/internal/event"
	"windowed/internal/tlsfiles"
)

func mustLoad(t testing.TB, s *Schemas, id uint32) *schema {
	t.Helper()
	found, err := s.load(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 3000 {
		if ok() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal("never: " + what)
}

// TestARegistryThatFailsSaysNothingOfTheRecords: neither what it answers while it fails nor
// that it does not answer makes a record bad.
func TestARegistryThatFailsSaysNothingOfTheRecords(t *testing.T) {
	for name, c := range map[string]struct {
		status     int
		body, says string
	}{
		"out of order":          {500, `{"error_code":50001,"message":"Error in the backend data store"}`, "HTTP 500: Error in the backend data store"},
		"overloaded":            {503, "", "HTTP 503"},
		"not let in":            {401, `{"error_code":401,"message":"Unauthorized"}`, "HTTP 401: Unauthorized (see --schema-registry-username"},
		"forbidden":             {403, "no", "HTTP 403: no (see"},
		"something else's page": {404, "<html>nothing here</html>", "HTTP 404: <html>nothing here</html> (this is not the answer of a schema registry"},
		"no JSON":               {200, "hello", "unable to decode"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRegistry(t)
			id := r.register(t, "orders-value", avroOrder, sr.TypeAvro)
			r.fail(c.status, c.body)
			s := r.schemas(t)
			value := latte(t, id)
			if s.Ready(value) {
				t.Fatal("it is ready")
			}
			eventually(t, "trouble", func() bool { return strings.Contains(s.Trouble(), c.says) })
			changed := s.Changed()
			r.fail(0, "")
			<-changed
			if !s.Ready(value) || s.Trouble() != "" {
				t.Errorf("not ready after all: %q", s.Trouble())
			}
			check(t, name, decoded(t, decoder(t, Auto, s), value), good)
			if n := s.Stats(); n.Known != 1 || n.Missing != 0 || n.Errors == 0 || !strings.Contains(n.LastError, c.says) {
				t.Errorf("%+v", n)
			}
		})
	}
}

func TestNobodyListensYet(t *testing.T) {
	s, err := NewSchemas(Config{URLs: []string{"http://127.0.0.1:1"}, pause: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	s.Ready(framed(1))
	eventually(t, "trouble", func() bool { return strings.Contains(s.Trouble(), "127.0.0.1:1") })
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if err := s.Await(ctx, framed(1)); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	s.Close() // ends what is being fetched
}

// TestASchemaIsFetchedOnce: by however many it is needed, and never again.
func TestASchemaIsFetchedOnce(t *testing.T) {
	r := newRegistry(t)
	id := r.register(t, "orders-value", avroOrder, sr.TypeAvro)
	s := r.schemas(t)
	for range 100 {
		s.Ready(latte(t, id))
	}
	d := decoder(t, Auto, s)
	for range 100 {
		check(t, "order", decoded(t, d, latte(t, id)), good)
	}
	if n := r.requests.Load(); n != 3 { // the schema, its subjects, the newest version
		t.Errorf("%d requests", n)
	}
	if r.fail(500, ""); decoded(t, d, latte(t, id)) != good {
		t.Error("what is known is asked for again")
	}
}

// TestAnUnknownIDIsRefusedUntilItIsRegistered: it is asked for a little longer at first,
// and again after a while.
func TestAnUnknownIDIsRefusedUntilItIsRegistered(t *testing.T) {
	r := newRegistry(t)
	s := r.schemas(t)
	d := decoder(t, Auto, s)
	check(t, "at first", decoded(t, d, latte(t, 1)), "malformed schema id 1 is not registered at "+r.URL())
	if n := r.requests.Load(); n < 3 {
		t.Errorf("it was asked for %d times only", n)
	}
	before := r.requests.Load()
	check(t, "at once", decoded(t, d, latte(t, 1)), "malformed schema id 1 is not registered at "+r.URL())
	if r.requests.Load() > before+1 {
		t.Error("it is not remembered that it is not registered")
	}
	r.register(t, "orders-value", avroOrder, sr.TypeAvro)
	eventually(t, "it is registered", func() bool { return decoded(t, d, latte(t, 1)) == good })
}

// TestAnIDThatComesSoonIsWaitedFor: a replica of the registry may be behind.
func TestAnIDThatComesSoonIsWaitedFor(t *testing.T) {
	r := newRegistry(t)
	s := r.schemas(t, func(c *Config) { c.grace = 20 * time.Second })
	value := latte(t, 1)
	s.Ready(value)
	eventually(t, "an answer", func() bool { return s.Stats().Fetches > 0 })
	r.register(t, "orders-value", avroOrder, sr.TypeAvro)
	check(t, "order", decoded(t, decoder(t, Auto, s), value), good)
}

func TestASchemaOfNoUseIsSaidOnceAndRefused(t *testing.T) {
	r := newRegistry(t)
	id := r.register(t, "orders-value", `{"type":"record","name":"R","fields":[{"name":"a","type":"nothing.known"}]}`, sr.TypeAvro)
	s := r.schemas(t)
	d := decoder(t, Auto, s)
	if have := decoded(t, d, framed(id, 1)); !strings.HasPrefix(have, "malformed schema id 1 cannot be used: ") || !strings.Contains(have, "nothing.known") {
		t.Error(have)
	}
	if n := s.Stats(); n.Known != 1 || n.Errors != 0 {
		t.Errorf("%+v", n)
	}
}

// TestManyUnknownIDsDoNotStand: records of something else that begin with a zero.
func TestManyUnknownIDsDoNotStand(t *testing.T) {
	r := newRegistry(t)
	s := r.schemas(t, func(c *Config) { c.grace, c.keep = time.Millisecond, 20*time.Millisecond })
	d := decoder(t, Auto, s)
	var values [][]byte
	for id := range uint32(300) {
		values = append(values, framed(id+100))
	}
	for _, v := range values {
		s.Ready(v)
	}
	eventually(t, "all are known to be missing", func() bool {
		return !slices.ContainsFunc(values, func(v []byte) bool { return !s.Known(v) })
	})
	for _, v := range values {
		if _, fault := d.DecodeRecord(&event.Record{Value: v}); fault == nil {
			t.Fatal("not refused")
		}
	}
}

func TestWhoWeAreIsShown(t *testing.T) {
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("me:secret"))
	for _, c := range []struct {
		auth string
		by   func(*Config)
	}{
		{basic, func(c *Config) { c.Username, c.Password = "me", "secret" }},
		{"Bearer token", func(c *Config) { c.Token = "token" }},
	} {
		r := newRegistry(t, srfake.WithAuth(c.auth))
		id := r.register(t, "orders-value", avroOrder, sr.TypeAvro)
		check(t, c.auth, decoded(t, decoder(t, Auto, r.schemas(t, c.by)), latte(t, id)), good)
		wrong := r.schemas(t)
		wrong.Ready(latte(t, id))
		eventually(t, "trouble", func() bool { return strings.Contains(wrong.Trouble(), "HTTP 401") })
	}
}

func TestTheNextAddressIsTried(t *testing.T) {
	r := newRegistry(t)
	id := r.register(t, "orders-value", avroOrder, sr.TypeAvro)
	s := r.schemas(t, func(c *Config) { c.URLs = []string{"http://127.0.0.1:1", r.URL()} })
	check(t, "order", decoded(t, decoder(t, Auto, s), latte(t, id)), good)
}

func TestAddressesAndFilesAreChecked(t *testing.T) {
	for want, c := range map[string]Config{
		"is not an address":           {URLs: []string{"registry:8081"}},
		"credentials belong into":     {URLs: []string{"https://me:secret@registry:8081"}},
		"is not https":                {URLs: []string{"http://registry"}, TLS: tlsfiles.Files{CA: "x"}},
		"read --schema-registry-ca":   {URLs: []string{"https://registry"}, TLS: tlsfiles.Files{CA: "/nowhere", Flags: "--schema-registry"}},
		"a user name and a token":     {URLs: []string{"http://registry"}, Username: "me", Token: "t"},
		"load --schema-registry-cert": {URLs: []string{"https://registry"}, TLS: tlsfiles.Files{Cert: "/nowhere", Key: "/nowhere", Flags: "--schema-registry"}},
	} {
		_, err := NewSchemas(c)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

// TestARegistryWithoutSubjectsWillDo: one that tells schemas by their id only.
func TestARegistryWithoutSubjectsWillDo(t *testing.T) {
	r := newRegistry(t)
	id := r.register(t, "orders-value", avroOrder, sr.TypeAvro)
	r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
		if strings.HasSuffix(req.URL.Path, "/versions") || strings.HasSuffix(req.URL.Path, "/latest") {
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(`{"error_code":40401,"message":"no"}`))
			return true
		}
		return false
	})
	check(t, "order", decoded(t, decoder(t, Auto, r.schemas(t)), latte(t, id)), good)
}
