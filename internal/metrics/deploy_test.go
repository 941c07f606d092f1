package metrics

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"go.yaml.in/yaml/v3"
)

// names are the names of metrics in a query.
var names = regexp.MustCompile(`\b(?:windowed|process|go)_[a-z0-9_]+`)

// exposed are all names that a scrape shows, histograms with their parts.
func exposed(t *testing.T) map[string]bool {
	t.Helper()
	s := source(t)
	client, err := kgo.NewClient(kgo.SeedBrokers("127.0.0.1:1"), kgo.WithHooks(s.Client("orders")))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	all := map[string]bool{ // vectors of the Kafka client, which are empty without a broker
		"windowed_kafka_read_bytes_total": true, "windowed_kafka_write_bytes_total": true,
	}
	for name, f := range gather(t, s) {
		all[name] = true
		if f.GetMetric()[0].GetHistogram() != nil {
			all[name+"_bucket"], all[name+"_sum"], all[name+"_count"] = true, true, true
		}
	}
	return all
}

// rule is one alert.
type rule struct {
	Alert       string            `yaml:"alert"`
	Expr        string            `yaml:"expr"`
	For         string            `yaml:"for"`
	Labels      map[string]string `yaml:"labels"`
	Annotations map[string]string `yaml:"annotations"`
}

func readRules(t *testing.T) []rule {
	t.Helper()
	text, err := os.ReadFile("../../deploy/prometheus/rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Groups []struct {
			Name  string `yaml:"name"`
			Rules []rule `yaml:"rules"`
		} `yaml:"groups"`
	}
	decoder := yaml.NewDecoder(strings.NewReader(string(text)))
	decoder.KnownFields(true)
	if err := decoder.Decode(&file); err != nil {
		t.Fatal(err)
	}
	return file.Groups[0].Rules
}

// TestRules holds the alerts against the metrics there are, and against docs that they
// send people to.
func TestRules(t *testing.T) {
	all := exposed(t)
	rules := readRules(t)
	if len(rules) < 10 {
		t.Fatalf("%d rules", len(rules))
	}
	docs, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	headings := anchors(string(docs))
	for _, r := range rules {
		used := names.FindAllString(r.Expr, -1)
		if len(used) == 0 && r.Expr != `up{job="windowed"} == 0` {
			t.Errorf("%s uses no metric of ours: %s", r.Alert, r.Expr)
		}
		for _, name := range used {
			if !all[name] {
				t.Errorf("%s uses %s, which does not exist", r.Alert, name)
			}
		}
		if r.Annotations["summary"] == "" || r.Annotations["description"] == "" || !slices.Contains([]string{"critical", "warning"}, r.Labels["severity"]) {
			t.Errorf("%s says too little: %+v", r.Alert, r)
		}
		anchor, ok := strings.CutPrefix(r.Annotations["runbook"], "docs/operations.md#")
		if !ok || !headings[anchor] {
			t.Errorf("%s: there is no %s", r.Alert, r.Annotations["runbook"])
		}
		if !strings.Contains(string(docs), r.Alert) {
			t.Errorf("docs/operations.md says nothing of %s", r.Alert)
		}
	}
}

// anchors are the names of the headings of a page, as links write them.
func anchors(page string) map[string]bool {
	all := make(map[string]bool)
	for _, line := range strings.Split(page, "\n") {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			all[strings.ReplaceAll(regexp.MustCompile(`[^a-z0-9 -]`).ReplaceAllString(strings.ToLower(title), ""), " ", "-")] = true
		}
	}
	return all
}

// TestRulesAreTested: every alert is seen to fire and to rest in rules_test.yaml, which
// promtool runs.
func TestRulesAreTested(t *testing.T) {
	text, err := os.ReadFile("../../deploy/prometheus/rules_test.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Tests []struct {
			Series []struct {
				Series string `yaml:"series"`
			} `yaml:"input_series"`
			Cases []struct {
				Alert string `yaml:"alertname"`
				Want  []any  `yaml:"exp_alerts"`
			} `yaml:"alert_rule_test"`
		} `yaml:"tests"`
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	all, fires, rests := exposed(t), make(map[string]bool), make(map[string]bool)
	for _, test := range file.Tests {
		for _, s := range test.Series {
			if name, _, _ := strings.Cut(s.Series, "{"); name != "up" && !all[name] {
				t.Errorf("a test feeds %s, which does not exist", name)
			}
		}
		for _, c := range test.Cases {
			if len(c.Want) > 0 {
				fires[c.Alert] = true
			} else {
				rests[c.Alert] = true
			}
		}
	}
	for _, r := range readRules(t) {
		if !fires[r.Alert] || !rests[r.Alert] {
			t.Errorf("%s fires in a test: %v, and rests in one: %v", r.Alert, fires[r.Alert], rests[r.Alert])
		}
	}
}

// TestRulesRun lets promtool, where there is one, run the alerts' own tests.
func TestRulesRun(t *testing.T) {
	tool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("there is no promtool; make alerts says the same")
	}
	for _, args := range [][]string{{"check", "rules", "rules.yaml"}, {"test", "rules", "rules_test.yaml"}} {
		run := exec.CommandContext(t.Context(), tool, args...)
		run.Dir = "../../deploy/prometheus"
		if out, err := run.CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

// TestDashboard holds the queries of the dashboard against the metrics there are; its
// data source is a variable, for nobody to edit it by hand.
func TestDashboard(t *testing.T) {
	text, err := os.ReadFile("../../deploy/grafana/windowed.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			ID      int                      `json:"id"`
			Type    string                   `json:"type"`
			Title   string                   `json:"title"`
			Source  *struct{ UID string }    `json:"datasource"`
			Targets []struct{ Expr string }  `json:"targets"`
			Grid    struct{ X, Y, W, H int } `json:"gridPos"`
		} `json:"panels"`
		Templating struct {
			List []struct{ Name, Type string }
		} `json:"templating"`
	}
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	if v := board.Templating.List; len(v) != 2 || v[0].Name != "datasource" || v[0].Type != "datasource" {
		t.Errorf("variables %+v", v)
	}
	all, seen, ids := exposed(t), make(map[string]bool), make(map[int]bool)
	for _, p := range board.Panels {
		if ids[p.ID] {
			t.Errorf("two panels have the id %d", p.ID)
		}
		ids[p.ID] = true
		if p.Type == "row" {
			continue
		}
		if p.Source == nil || p.Source.UID != "${datasource}" || len(p.Targets) == 0 {
			t.Errorf("%s: data source %+v, %d queries", p.Title, p.Source, len(p.Targets))
		}
		for _, q := range p.Targets {
			for _, name := range names.FindAllString(q.Expr, -1) {
				if seen[name] = true; !all[name] {
					t.Errorf("%s uses %s, which does not exist", p.Title, name)
				}
			}
		}
	}
	if len(seen) < 30 {
		t.Errorf("only %d metrics are shown: %v", len(seen), slices.Sorted(maps.Keys(seen)))
	}
}
