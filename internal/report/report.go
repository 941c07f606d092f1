// Package report tells what the tests have seen: on standard output, in a file, and in the
// page that promises what they test.
package report

import (
	"fmt"
	"os"
	"strings"
)

// The variables: WINDOWED_FIGURES names a file that figures are appended to,
// WINDOWED_PAGE a page with a marked section for them.
const (
	fileVariable = "WINDOWED_FIGURES"
	pageVariable = "WINDOWED_PAGE"
)

// Write prints text, which ends with a newline, and puts it where the environment says.
// The page has the lines
//
//	<!-- figures: section -->
//	<!-- end of figures -->
//
// and what is between them is replaced. Not safe for concurrent use by several processes.
func Write(section, text string) error {
	fmt.Print(text)
	if err := add(os.Getenv(fileVariable), text); err != nil {
		return fmt.Errorf("write figures: %w", err)
	}
	page := os.Getenv(pageVariable)
	if page == "" {
		return nil
	}
	b, err := os.ReadFile(page)
	if err != nil {
		return fmt.Errorf("write figures: %w", err)
	}
	whole, err := replace(string(b), section, text)
	if err != nil {
		return fmt.Errorf("write figures to %s: %w", page, err)
	}
	if err := os.WriteFile(page, []byte(whole), 0o644); err != nil {
		return fmt.Errorf("write figures: %w", err)
	}
	return nil
}

func add(file, text string) error {
	if file == "" {
		return nil
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// replace puts text into a section of page: as it is if it is a table, else as plain text.
func replace(page, section, text string) (string, error) {
	begin, end := "<!-- figures: "+section+" -->\n", "<!-- end of figures -->\n"
	before, rest, ok := strings.Cut(page, begin)
	if !ok {
		return "", fmt.Errorf("it has no line %q", strings.TrimSpace(begin))
	}
	_, after, ok := strings.Cut(rest, end)
	if !ok {
		return "", fmt.Errorf("it has no line %q behind %q", strings.TrimSpace(end), strings.TrimSpace(begin))
	}
	if !strings.HasPrefix(text, "| ") {
		text = "```text\n" + text + "```\n"
	}
	return before + begin + "\n" + text + "\n" + end + after, nil
}
