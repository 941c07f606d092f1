//go:build unix

package e2e

import (
	"encoding/binary"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

// TestCutCommit starts on a changelog whose last commit was cut, as only at least once
// can leave one: counts without the meta that says which orders are in them. They must
// not be counted again, now or by any later restore.
func TestCutCommit(t *testing.T) {
	t.Parallel()
	for _, guarantee := range []string{"at-least-once", "exactly-once"} {
		t.Run("repaired by "+guarantee, func(t *testing.T) {
			t.Parallel()
			p, o := counted(t, 5, "--guarantee=at-least-once", "--instance-id=a")
			cut := func(key string, count uint64) *kgo.Record {
				return &kgo.Record{Topic: names.Changelog, Key: []byte(key), Value: binary.BigEndian.AppendUint64(nil, count)}
			}
			o.send(cut("latte:all", 8), cut("latte:1772366400000", 8), cut("mocha:all", 3))
			lattes(o, 3)

			mustSay(t, p.run("restore", "--brokers="+o.seed).ok(), "10 orders, 10 portions")
			g := p.with("--guarantee=" + guarantee).start().running().reaches(o.ends(names.Orders))
			e := modelled(t, o, hourly)
			e.checkChangelog(t, o)
			e.checkAnswers(t, g)
			g.saying("repaired", "changelog_partition=0", "keys=3")
			g.kill()

			p.wipe()
			mustSay(t, p.run("restore", "--brokers="+o.seed).ok(), "16 orders, 16 portions")
			g = p.with("--guarantee=" + guarantee).start().running()
			lattes(o, 1)
			g.reaches(o.ends(names.Orders))
			e = modelled(t, o, hourly)
			e.checkChangelog(t, o)
			e.checkAnswers(t, g)
			if err := said(g.stderr.String(), "repaired"); err == nil {
				t.Error("it was repaired again")
			}
			g.stop()
		})
	}
}
