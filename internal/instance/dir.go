// Package instance is the state directory of one process: who it is, whose counts it
// holds, and where it can be asked.
package instance

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"windowed/internal/exit"
)

// Dir is a state directory:
//
//	db/            the Pebble store, locked by the process that uses it
//	db.bad-<time>/ damaged stores moved aside
//	instance-id    made once; the last part of the transactional id
//	identity.json  whose counts db holds
//	http.addr      where a running process answers; removed at a clean stop
type Dir struct{ path string }

const (
	storeName    = "db"
	idName       = "instance-id"
	identityName = "identity.json"
	addrName     = "http.addr"
)

// Open makes the directory if need be. One that holds other files is refused: it is
// somebody else's.
func Open(path string) (*Dir, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, exit.Errorf(exit.Usage, "make state directory: %w", err)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, exit.Errorf(exit.Usage, "read state directory: %w", err)
	}
	for _, e := range entries {
		switch name := e.Name(); {
		case name == storeName, strings.HasPrefix(name, storeName+".bad-"), name == "lost+found":
		case strings.HasPrefix(name, idName), strings.HasPrefix(name, identityName), name == addrName:
		default:
			return nil, exit.Errorf(exit.Usage, "%s holds %q, which is not ours: it is not a state directory of windowed; name another one with --state", path, name)
		}
	}
	return &Dir{path: path}, nil
}

// Store is the place of the Pebble store.
func (d *Dir) Store() string { return filepath.Join(d.path, storeName) }

// ID is the instance id, made at random the first time.
func (d *Dir) ID() (string, error) {
	file := filepath.Join(d.path, idName)
	text, err := os.ReadFile(file)
	if id := strings.TrimSpace(string(text)); err == nil && id != "" {
		return id, nil
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("read instance id: %w", err)
	}
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", fmt.Errorf("make instance id: %w", err)
	}
	id := hex.EncodeToString(b[:])
	return id, replace(file, []byte(id+"\n"))
}

// Identity says whose counts a state directory holds.
type Identity struct {
	Group       string `json:"group"`
	Orders      string `json:"orders_topic"`
	Changelog   string `json:"changelog_topic"`
	ChangelogID string `json:"changelog_topic_id,omitempty"` // hex; empty before Kafka 2.8
}

// Bind compares the directory's identity with id, or takes id on if it has none.
func (d *Dir) Bind(id Identity) error {
	file := filepath.Join(d.path, identityName)
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return d.bind(file, id)
	}
	if err != nil {
		return fmt.Errorf("read state identity: %w", err)
	}
	var have Identity
	if err := json.Unmarshal(text, &have); err != nil {
		return exit.Errorf(exit.Usage, "%s is damaged: %w; remove the state directory, it is restored from the changelog", file, err)
	}
	if have.ChangelogID == "" || id.ChangelogID == "" {
		have.ChangelogID = id.ChangelogID
	}
	switch {
	case have == id:
		return nil
	case have.Group == id.Group && have.Orders == id.Orders && have.Changelog == id.Changelog:
		return exit.Errorf(exit.Usage, "state directory %s was made from another topic %s: the changelog was made anew since; see docs/operations.md, \"Topics made anew\"", d.path, id.Changelog)
	}
	return exit.Errorf(exit.Usage, "state directory %s belongs to group %s, orders %s, changelog %s; name another one with --state", d.path, have.Group, have.Orders, have.Changelog)
}

func (d *Dir) bind(file string, id Identity) error {
	text, err := json.MarshalIndent(id, "", "  ")
	if err != nil {
		return err
	}
	return replace(file, append(text, '\n'))
}

// replace writes a file whole or not at all.
func replace(file string, text []byte) error {
	if err := os.WriteFile(file+".new", text, 0o600); err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	return os.Rename(file+".new", file)
}

// Announce writes where this process answers.
func (d *Dir) Announce(addr string) error {
	return replace(filepath.Join(d.path, addrName), []byte(addr+"\n"))
}

// Retract removes what Announce wrote.
func (d *Dir) Retract() error {
	err := os.Remove(filepath.Join(d.path, addrName))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// AddrFile is the file with the address of the process that uses a state directory.
func AddrFile(path string) string { return filepath.Join(path, addrName) }

// ReadAddr reads an address file; ok is false if there is none.
func ReadAddr(file string) (addr string, ok bool, err error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("read address: %w", err)
	}
	return strings.TrimSpace(string(text)), true, nil
}
