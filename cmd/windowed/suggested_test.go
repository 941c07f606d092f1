package main

import (
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"windowed/internal/event"
	"windowed/internal/inspect"
)

// TestSuggestedTopic: all flags by which a topic was reached are in the command, and run
// takes them with the same meaning.
func TestSuggestedTopic(t *testing.T) {
	flags := []string{
		"--brokers=a:1,b:2", "--orders-topic=my.visits", "--tls", "--tls-ca=/ca pem", "--tls-cert=/c", "--tls-key=/k", "--tls-server-name=n", "--sasl-mechanism=PLAIN",
		"--sasl-username=u", "--sasl-password-file=/p", "--insecure-sasl", "--format=avro", "--schema-registry=https://r:1,https://s:2", "--schema-registry-username=ru",
		"--schema-registry-password-file=/rp", "--schema-registry-token-file=/rt", "--schema-registry-ca=/rca", "--schema-registry-cert=/rc", "--schema-registry-key=/rk",
		"--schema-registry-server-name=rn", "--json-schema-validate",
	}
	parse := func(args ...string) *cli {
		var c cli
		parser, err := kong.New(&c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse(args); err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return &c
	}
	asked := parse(append([]string{"inspect"}, flags...)...).Inspect
	report := &inspect.Report{Config: event.Config{TimeField: "at", Names: []string{"page"}}}
	asked.Retention, asked.Late, asked.Noun, asked.Top, asked.Window = 48*time.Hour, "amend", "page, all pages", 3, 90*time.Minute
	command := words(asked.command(report))
	run := parse(command[1:]...).Run
	if have, want := run.kafkaFlags, asked.kafkaFlags; strings.Join(have.Brokers, " ") != strings.Join(want.Brokers, " ") {
		t.Errorf("the brokers are %v, not %v", have.Brokers, want.Brokers)
	}
	again := asked
	again.kafkaFlags, again.registryFlags, again.formatFlag = run.kafkaFlags, run.registryFlags, run.formatFlag
	if have, want := strings.Join(again.topicWords(), " "), strings.Join(asked.topicWords(), " "); have != want || len(asked.topicWords()) != len(flags) {
		t.Errorf("run has %s\nnot %s", have, want)
	}
	if run.Retention != asked.Retention || run.Late != asked.Late || run.Noun != asked.Noun || run.Top != asked.Top || run.Window != asked.Window {
		t.Errorf("the job is %+v", run.jobFlags)
	}
	if run.TimeField != "at" || run.Name[0] != "page" || *run.Items != "" {
		t.Errorf("the mapping is %+v", run.mappingFlags)
	}
}
