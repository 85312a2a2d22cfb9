package member

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/owner"
)

// What a member remembers about its owner, as files beside the data directory.
const (
	// ownedFile exists while the data may be newer than the final snapshot: from the first start as the owner until that snapshot after the loss.
	ownedFile = "owned"
	// lostFile exists while the last clear answer named another owner.
	lostFile = "lost"
	// unownedFile exists after a name server has said for some minutes that it knows no owner, until there is one.
	unownedFile = "unowned"
)

// memory is what a member remembers about its owner. Any goroutine may use it.
type memory struct {
	dir   string // around the data directory
	check owner.Check
}

// beside is a file beside the data.
func (m memory) beside(name string) string { return filepath.Join(m.dir, name) }

func (m memory) owned() string { return m.beside(ownedFile) }

// owner asks for the owner, and returns the last clear answer instead if that counts.
func (m memory) owner(ctx context.Context) (owner.Answer, error) {
	answer, reason := m.check.Ask(ctx)
	if !m.check.Kept(reason) {
		return answer, reason
	}
	for _, known := range []struct {
		file string
		says owner.Answer
	}{{lostFile, owner.Other}, {unownedFile, owner.Unknown}, {ownedFile, owner.Self}} {
		switch _, err := os.Stat(m.beside(known.file)); {
		case err == nil:
			return known.says, reason
		case !errors.Is(err, os.ErrNotExist):
			return owner.Unknown, err
		}
	}
	return owner.Unknown, reason
}

// remember makes lostFile or unownedFile.
func (m memory) remember(file string) error {
	if _, err := os.Stat(m.beside(file)); err == nil {
		return nil
	}
	if err := makeVolume(m.dir); err != nil {
		return err
	}
	return atomicfile.Write(m.beside(file), nil, 0o600)
}

// own notes that the data may become newer than a final snapshot.
func (m memory) own() error {
	if err := makeVolume(m.dir); err != nil {
		return err
	}
	// The loss is forgotten first: an end of the process in between leaves an etcd that knows no owner and asks again.
	for _, file := range []string{lostFile, unownedFile} {
		if err := os.Remove(m.beside(file)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return atomicfile.Write(m.owned(), nil, 0o600)
}
