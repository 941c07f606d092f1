package page

import (
	"embed"
	"io/fs"
	"net/http"
	"strings"
)

//go:embed static
var files embed.FS

// policy lets the page load its own files and ask its own origin, nothing else: a drink
// that is markup stays text even if a script should fail to treat it so.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; frame-ancestors 'none'; form-action 'none'"

// Handler serves the page at / and its files under /assets/.
func Handler() http.Handler {
	assets := load(files)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secure(w.Header())
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "the page is read only", http.StatusMethodNotAllowed)
			return
		}
		name := strings.TrimPrefix(r.URL.Path, "/")
		if name == "" {
			name = "index.html"
		} else if !strings.HasPrefix(name, "assets/") {
			name = ""
		}
		a, ok := assets[name]
		if !ok {
			http.Error(w, "there is no such page", http.StatusNotFound)
			return
		}
		a.serve(w, r)
	})
}

func secure(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// load reads every embedded file. It panics if one cannot be served: that is a mistake
// of the build, which any test finds.
func load(files fs.FS) map[string]*asset {
	assets := map[string]*asset{}
	err := fs.WalkDir(files, "static", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := fs.ReadFile(files, path)
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(path, "static/")
		assets[name], err = newAsset(name, body)
		return err
	})
	if err != nil {
		panic(err)
	}
	return assets
}
