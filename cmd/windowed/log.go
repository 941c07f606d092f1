package main

import (
	"log/slog"
	"os"

	"github.com/lmittmann/tint"
)

// logger writes log lines to stderr: text, unless the flags say otherwise, with colours on
// a terminal unless NO_COLOR is set.
func (c *cli) logger(std streams) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		return nil, err
	}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(std.err, &slog.HandlerOptions{Level: level})), nil
	}
	return slog.New(tint.NewTextHandler(std.err, &tint.Options{
		Level: level, TimeFormat: "15:04:05.000", NoColor: !isTerminal(std.err) || os.Getenv("NO_COLOR") != "",
	})), nil
}
