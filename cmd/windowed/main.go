// Command windowed answers, exactly and at once, what is ordered most: of all time and
// in every event-time window of an orders topic.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/alecthomas/kong"

	"windowed/internal/exit"
)

// version is set by the build (-ldflags "-X main.version=...").
var version = "dev"

// cli is the command line. Flags win over WINDOWED_* environment variables, those over
// the --config file, and that over the defaults.
type cli struct {
	Config    string `help:"YAML file with flag names as keys." placeholder:"FILE" type:"existingfile"`
	LogLevel  string `help:"Least level of log lines on stderr: debug, info, warn, error." enum:"debug,info,warn,error" default:"info"`
	LogFormat string `help:"Form of log lines: text, json, or auto (text)." enum:"auto,text,json" default:"auto"`

	Run     runCmd     `cmd:"" default:"withargs" help:"Count: on --brokers, or on the embedded broker (default command)."`
	Serve   serveCmd   `cmd:"" help:"Answer without counting: a read replica that follows the changelog."`
	Top     topCmd     `cmd:"" help:"Ask a running windowed for a top list."`
	Windows windowsCmd `cmd:"" help:"Ask a running windowed for its windows."`
	Restore restoreCmd `cmd:"" help:"Bring the state directory up to the end of the changelog, then exit."`
	Topics  topicsCmd  `cmd:"" help:"Make, check or delete the topics."`
	Seed    seedCmd    `cmd:"" help:"Send sample orders."`
	Replay  replayCmd  `cmd:"" help:"Count the records in files: no Kafka, byte-identical output."`
	Inspect inspectCmd `cmd:"" help:"Look at a topic or a file, and say how to count what is in it."`
	Version versionCmd `cmd:"" help:"Print the version."`

	Healthcheck healthcheckCmd `cmd:"" help:"Ask a running windowed whether it is alive, or ready: for images without a shell."`
	Completion  completionCmd  `cmd:"" help:"Print what makes a shell complete commands and flags: bash, zsh, fish."`
}

// streams are the standard streams, so that tests can have their own.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

func main() {
	spare()
	collectGarbage(false)
	os.Exit(run(os.Args[1:], os.Environ(), streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
}

// run is the program, from its arguments to its exit code.
func run(args, env []string, std streams) int {
	err := execute(args, env, std)
	var parse *kong.ParseError
	switch {
	case err == nil:
	case errors.As(err, &parse):
		err = exit.With(exit.Usage, err)
		fallthrough
	default:
		fmt.Fprintf(std.err, "windowed: %v\n", err)
	}
	return exit.Code(err)
}

// errHelp ends the run after --help has been printed.
var errHelp = errors.New("help")

func execute(args, env []string, std streams) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if p != errHelp {
				panic(p)
			}
			err = nil
		}
	}()
	if line, word, ok := completing(args, env); ok {
		parser, err := kong.New(new(cli), kong.Name("windowed"))
		if err != nil {
			return err
		}
		return complete(parser.Model, line, word, std.out)
	}
	var c cli
	resolver, err := newSettings(args, env)
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	parser, err := kong.New(&c,
		kong.Name("windowed"),
		kong.Description("What is ordered most: of all time and in every event-time window, exactly and at once."),
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true}),
		kong.Writers(std.out, std.err),
		kong.Exit(func(int) { panic(errHelp) }),
		kong.Resolvers(resolver),
		kong.Help(kong.DefaultHelpPrinter),
	)
	if err != nil {
		return err
	}
	if err := resolver.check(parser.Model); err != nil {
		return exit.With(exit.Usage, err)
	}
	ctx, err := parser.Parse(args)
	if err != nil {
		return err
	}
	ctx.Bind(std, &c)
	return ctx.Run()
}
