package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// completionCmd prints what makes a shell ask the program itself for completions: it
// calls it with the line so far in COMP_LINE.
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

var completionScripts = map[string]string{
	"bash": `# source <(windowed completion bash)
complete -o default -C windowed windowed
`,
	"zsh": `# source <(windowed completion zsh)
autoload -U +X bashcompinit && bashcompinit
complete -o default -C windowed windowed
`,
	"fish": `# windowed completion fish | source
function __windowed_complete
    set -lx COMP_LINE (commandline -cp)
    windowed
end
complete -c windowed -a '(__windowed_complete)'
`,
}

// Run prints the script of a shell.
func (c *completionCmd) Run(std streams) error {
	_, err := io.WriteString(std.out, completionScripts[c.Shell])
	return err
}

// completing says whether a shell asks for completions: of which line, and of which word.
// bash and zsh give the program's name, that word and the one before as arguments.
func completing(args, env []string) (line, word string, ok bool) {
	for _, kv := range env {
		if line, ok = strings.CutPrefix(kv, "COMP_LINE="); !ok {
			continue
		}
		switch len(args) {
		case 3:
			return line, args[1], true
		case 0:
			return line, line[strings.LastIndex(line, " ")+1:], true
		}
	}
	return "", "", false
}

// complete prints the words that may come next on a line. word is what the shell takes
// for the word to be completed: bash ends words at =, so that only the value is left.
func complete(app *kong.Application, line, word string, out io.Writer) error {
	words := strings.Fields(line)
	current := ""
	if n := len(words); n > 0 && !strings.HasSuffix(line, " ") {
		current, words = words[n-1], words[:n-1]
	}
	node, previous := app.Node, ""
	for i, w := range words {
		previous = w
		for _, child := range node.Children {
			if i > 0 && child.Name == w && child.Type == kong.CommandNode {
				node = child
			}
		}
	}
	var found []string
	if name, _, ok := strings.Cut(current, "="); ok && strings.HasPrefix(current, "--") {
		for _, value := range values(node, name) {
			if whole := name + "=" + value; word == current {
				found = append(found, whole)
			} else {
				found = append(found, value)
			}
		}
		if word != current {
			_, current, _ = strings.Cut(current, "=")
		}
	} else if found = values(node, previous); found == nil {
		found = next(node)
	}
	for _, f := range found {
		if strings.HasPrefix(f, current) {
			if _, err := fmt.Fprintln(out, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// next are the commands and flags that may follow on a node.
func next(node *kong.Node) (found []string) {
	for _, child := range node.Children {
		if !child.Hidden {
			found = append(found, child.Name)
		}
	}
	for _, arg := range node.Positional {
		found = append(found, enum(arg)...)
	}
	for _, f := range flags(node) {
		found = append(found, "--"+f.Name)
	}
	slices.Sort(found)
	return found
}

// flags are those of a node and of what it is part of.
func flags(node *kong.Node) (all []*kong.Flag) {
	for _, group := range node.AllFlags(true) {
		all = append(all, group...)
	}
	if node.DefaultCmd != nil {
		all = append(all, node.DefaultCmd.Flags...) // windowed --x is windowed run --x
	}
	return all
}

// values are what a flag may be; nil if it is not a choice.
func values(node *kong.Node, name string) []string {
	for _, f := range flags(node) {
		if name == "--"+f.Name || f.Short != 0 && name == "-"+string(f.Short) {
			return enum(f.Value)
		}
	}
	return nil
}

func enum(v *kong.Value) []string {
	if v.Enum == "" {
		return nil
	}
	return strings.Split(v.Enum, ",")
}
