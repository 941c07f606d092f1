//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"testing"
)

// TestSettings checks who wins: flags, then the environment, then the --config file, then
// the defaults.
func TestSettings(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	config := filepath.Join(p.dir, "windowed.yaml")
	write := func(content string) {
		t.Helper()
		if err := os.WriteFile(config, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// The window size that a run begins with shows in the refusal of another one.
	begin := func(place *place, args ...string) { t.Helper(); place.with(args...).start().running().stop() }
	was := func(ms string) {
		t.Helper()
		clean := *p
		clean.env = nil
		clean.with("--window=7m").start().refuses(2, "--window was "+ms+"ms and is now 420000ms")
		p.wipe()
		if err := os.RemoveAll(p.data()); err != nil {
			t.Fatal(err)
		}
	}
	begin(p)
	was("3600000")
	write("window: 3m\n")
	begin(p, "--config="+config)
	was("180000")
	p.env = []string{"WINDOWED_WINDOW=2m"}
	begin(p, "--config="+config)
	was("120000")
	begin(p, "--config="+config, "--window=1m")
	was("60000")
	p.env = []string{"WINDOWED_CONFIG=" + config}
	begin(p)
	was("180000")
	p.env = nil

	write("windw: 3m\n")
	p.with("--config="+config).start().refuses(2, config, `"windw"`)
	write("window: [\n")
	p.with("--config="+config).start().refuses(2, config)
	write("window: soon\n")
	p.with("--config="+config).start().refuses(2, "window", "soon")
	p.with("--config="+config+".no").start().refuses(2, config+".no")
	p.env = []string{"WINDOWED_WINDOW=soon"}
	p.start().refuses(2, "window", "soon")
	p.env = []string{"WINDOWED_SERVICE_PORT=1"} // what orchestrators set
	begin(p)
}

// TestSettingsWrong gives flags that cannot be meant.
func TestSettingsWrong(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, wrong := range []struct{ flag, says string }{
		{"--windw=1h", "--windw"},
		{"--window=0s", "--window"},
		{"--window=1us", "--window"},
		{"--window=9000h", "--window"},
		{"--grace=-1s", "--grace"},
		{"--retention=-1h", "--retention"},
		{"--top=0", "--top"},
		{"--late=maybe", "--late"},
		{"--time-unit=h", "--time-unit"},
		{"--time-field=items", "items"},
		{"--commit-interval=0s", "--commit-interval"},
		{"--idle-timeout=-1s", "--idle-timeout"},
		{"--guarantee=maybe", "--guarantee"},
		{"--log-level=loud", "--log-level"},
		{"extra", "extra"},
	} {
		p.run(append(p.runFlags(), wrong.flag)...).exits(2, wrong.says)
	}
	p.run(append(p.runFlags(), "--seed", "--brokers=127.0.0.1:1")...).exits(2, "--seed", "windowed seed")
	p.run("nonsense").exits(2, "nonsense")
	p.run("top", "--nonsense").exits(2, "--nonsense")
	absent(t, p.state(), p.data())
	mustSay(t, p.run("--help").ok(), "Usage: windowed", "top", "restore")
	mustSay(t, p.run("version").ok(), "windowed")
}
