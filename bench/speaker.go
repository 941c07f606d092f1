package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// speaker is an entrant whose process says how far it is: "first", then "done"; on a
// line from here it writes its answer to a file, says "answered", and ends.
type speaker struct {
	*child
	file   string // with the answer; "" if it has none
	orders int64  // that there are
}

// speak starts a process that talks like this; args get --answer added.
func speak(f *field, counts bool, env []string, program string, args ...string) (*speaker, error) {
	s := &speaker{orders: f.truth.Orders}
	if counts {
		s.file = filepath.Join(f.dir, "answer.tsv")
		args = append(args, "--answer="+s.file)
	}
	var err error
	s.child, err = startChild(f.dir, "contestant", env, program, args...)
	return s, err
}

func (s *speaker) process() *child { return s.child }

func (s *speaker) first(ctx context.Context) (int64, error) {
	words, err := s.await(ctx, "first")
	if err != nil || len(words) == 0 {
		return 1, err
	}
	return strconv.ParseInt(words[0], 10, 64)
}

// done waits for the word; who says behind it how many orders were read is checked.
func (s *speaker) done(ctx context.Context) error {
	words, err := s.await(ctx, "done")
	if err == nil && len(words) > 0 && words[0] != strconv.FormatInt(s.orders, 10) {
		err = fmt.Errorf("it has read %s orders, there are %d", words[0], s.orders)
	}
	return err
}

func (s *speaker) answer(ctx context.Context) (Answer, error) {
	if err := s.goOn(); err != nil || s.file == "" {
		return nil, err
	}
	if _, err := s.await(ctx, "answered"); err != nil {
		return nil, err
	}
	return readAnswer(s.file)
}

// readAnswer reads lines of scope, drink and count. Lines of the same scope and drink
// add up.
func readAnswer(file string) (Answer, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	a := Answer{}
	scan := bufio.NewScanner(in)
	for scan.Scan() {
		fields := strings.Split(scan.Text(), "\t")
		if len(fields) != 3 {
			return nil, fmt.Errorf("%s: %q is not scope, drink and count", file, scan.Text())
		}
		n, err := strconv.ParseUint(fields[2], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		a.add(fields[0], fields[1], n)
	}
	return a, scan.Err()
}

// writeAnswer writes what readAnswer reads.
func writeAnswer(file string, a Answer) (err error) {
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	w := bufio.NewWriter(out)
	for scope, counts := range a {
		for drink, n := range counts {
			fmt.Fprintf(w, "%s\t%s\t%d\n", scope, drink, n)
		}
	}
	return w.Flush()
}
