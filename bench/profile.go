package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

const (
	// profileAddr is where windowed serves its profiles.
	profileAddr = "127.0.0.1:6060"
	// profileFor is how long it is watched, from profileAfter its start on.
	profileFor, profileAfter = 5 * time.Second, 1500 * time.Millisecond
)

// profiled are the flags of a windowed whose CPU profile is taken while it counts, if that
// was asked for. The compiler goes by such a profile (cmd/windowed/default.pgo).
func (w *windowed) profiled() []string {
	if w.profile == "" {
		return nil
	}
	go func() {
		time.Sleep(profileAfter)
		if err := takeProfile(w.profile); err != nil {
			fmt.Fprintf(os.Stderr, "no profile in %s: %v\n", w.profile, err)
		}
	}()
	return []string{"--pprof=" + profileAddr}
}

func takeProfile(file string) error {
	resp, err := http.Get(fmt.Sprintf("http://%s/debug/pprof/profile?seconds=%.0f", profileAddr, profileFor.Seconds()))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	profile, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", resp.Status, profile)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(file, profile, 0o644)
}
