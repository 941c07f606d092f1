package inspect

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"windowed/internal/event"
)

// visits are documents whose time is out of order now and then, and some of which cannot
// be counted.
func visits() []string {
	return many(100, func(i int) string {
		switch i {
		case 7:
			return `{"when":"2026-03-01 10:00:00"}`
		case 8:
			return `{"when":"soon","page":"/"}`
		case 9:
			return `not JSON`
		case 60:
			return `{"when":"2026-03-01 10:00:00","page":"/a"}`
		}
		return fmt.Sprintf(`{"when":"2026-03-01 %02d:00:00","page":"/%d"}`, 10+i/25, i%4)
	})
}

// TestLook proposes a way to count, tries it, and says what it would refuse and lose.
func TestLook(t *testing.T) {
	r := Look(sampleOf(visits()...), Given{Window: hour(t), Grace: time.Minute})
	if r.Problem != "" {
		t.Fatal(r.Problem)
	}
	check(t, "flags", strings.Join(r.Flags(), " "), "--time-field=when --items= --name=page --quantity=1")
	if r.Counted != 97 || r.Sample.Profile.Broken != 1 || r.Order.Earlier != 1 || r.Order.Most != 2*time.Hour || r.Grace != 3*time.Hour {
		t.Errorf("%d counted, %d broken, %+v, grace %v", r.Counted, r.Sample.Profile.Broken, r.Order, r.Grace)
	}
	var refused []string
	for _, reason := range r.Reasons() {
		refused = append(refused, fmt.Sprintf("%d %v %s", r.Refused[reason], reason, r.Examples[reason]))
	}
	check(t, "refused", strings.Join(refused, "\n"), `2 malformed when: "soon" is not a time such as 2026-03-01T10:15:50Z or 2026-03-01 10:15:50, nor a number`+"\n"+`1 invalid_drink page: is missing`)
}

// TestLookGoesByWhatIsGiven: what the user has decided stays, and the rest is found.
func TestLookGoesByWhatIsGiven(t *testing.T) {
	s := sampleOf(many(20, func(i int) string {
		return fmt.Sprintf(`{"when":%d,"other":%d,"page":"/%d","lang":"%d"}`, 1772360150+i, 1772360150520+i, i%4, i%3)
	})...)
	r := Look(s, Given{Window: hour(t), Config: event.Config{Names: []string{"lang"}}})
	check(t, "the name", strings.Join(r.Flags(), " "), "--time-field=when --time-unit=s --items= --name=lang --quantity=1")
	r = Look(s, Given{Window: hour(t), TimeField: true, Config: event.Config{TimeField: "when", TimeUnit: event.Seconds, TimeLayout: event.LayoutISO}})
	check(t, "the time", strings.Join(r.Flags(), " "), "--time-field=when --time-unit=s --time-layout=iso --items= --name=page --quantity=1")
	r = Look(s, Given{Window: hour(t), Config: event.Config{Names: []string{"nothing.here"}}})
	if r.Problem != "no record would be counted, 20 of 20 as invalid_drink: nothing.here: is missing" || r.Counted != 0 || r.Refused[event.InvalidName] != 20 {
		t.Errorf("a name that is not there: %q, %d counted, %v", r.Problem, r.Counted, r.Refused)
	}
}

// TestLookFindsNothing says why there is no proposal.
func TestLookFindsNothing(t *testing.T) {
	for want, s := range map[string]*Sample{
		"no record could be read":                     sampleOf("x", "{"),
		"say with --schema-registry where":            {Profile: NewProfile(), Lacking: "say with --schema-registry where"},
		"nothing in the records looks like a name to": sampleOf(`{"a":{}}`, `{"a":{"b":[]}}`),
	} {
		if r := Look(s, Given{Window: hour(t)}); !strings.HasPrefix(r.Problem, want) || r.Counted != 0 {
			t.Errorf("%q, %d counted; not %q", r.Problem, r.Counted, want)
		}
	}
}

// TestFlags has flags that a shell must not take apart.
func TestFlags(t *testing.T) {
	for want, c := range map[string]event.Config{
		"":                               {TimeField: "ts"},
		"--time-field=at --time-unit=us": {TimeField: "at", TimeUnit: event.Microseconds},
		`--items= --name='"a\, b",c' --quantity=1`:          {TimeField: "ts", Names: []string{`"a, b"`, "c"}, NameSeparator: " "},
		"--time-field= --items=a[].b --name=. --quantity=1": {Items: "a[].b", Names: []string{"."}},
		`--time-layout='02/Jan/2006:15:04:05 -0700' --time-zone=Europe/Paris --items= --name='"it'\''s",key' --quantity=n --name-separator='; ' --split='|' --envelope=connect`: {
			TimeField: "ts", TimeLayout: "02/Jan/2006:15:04:05 -0700", TimeZone: "Europe/Paris", Names: []string{`"it's"`, "key"},
			Quantity: "n", NameSeparator: "; ", Split: "|", Envelope: event.Connect,
		},
	} {
		r := Report{Config: c}
		check(t, "flags", strings.ReplaceAll(strings.Join(r.Flags(), " "), "'a[].b'", "a[].b"), want)
	}
}

func TestPercent(t *testing.T) {
	for want, n := range map[string][2]int{"0 %": {0, 0}, "100 %": {7, 7}, "33.3 %": {1, 3}, "0.01 %": {1, 10_000}} {
		check(t, want, Percent(n[0], n[1]), want)
	}
}
