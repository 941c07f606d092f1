package main

import (
	"context"
	"os"
	"strings"
)

// consuming is a contestant that is a sub-command of this program.
type consuming struct {
	title string
	form  string // of consumeCmd
	env   []string
}

// roomy lets a process that holds nothing collect garbage seldom, so that a limit is one.
var roomy = []string{"GOGC=off", "GOMEMLIMIT=256MiB"}

// The limits, and the least one could do.
func rawConsumer() contestant {
	return &consuming{title: "limit: franz-go reads, nothing else", form: "raw", env: roomy}
}

func decodingConsumer() contestant {
	return &consuming{title: "limit: franz-go reads, strict decoding", form: "decode", env: roomy}
}

func mapConsumer() contestant {
	return &consuming{title: "plain Go: encoding/json, a map, nothing kept", form: "map"}
}

func (c *consuming) name() string { return c.title }

func (c *consuming) start(_ context.Context, f *field) (entrant, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return speak(f, c.form == "map", c.env, self, "consume", c.form,
		"--brokers="+strings.Join(f.brokers, ","), "--topic="+f.topic,
		"--window="+f.workload.Window.String(), "--grace="+f.workload.Grace.String())
}
