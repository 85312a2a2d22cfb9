package apply

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
)

// at returns the location of a path of the machine. The path cannot lead out of Root.
func (a *Applier) at(path string) string { return filepath.Join(a.Root, filepath.Clean("/"+path)) }

// read returns the content of a file, nil if there is none.
func (a *Applier) read(path string) ([]byte, error) {
	data, err := os.ReadFile(a.at(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// differing lists the entries that the machine does not have yet.
func (a *Applier) differing(entries []entry) ([]entry, error) {
	var out []entry
	for _, e := range entries {
		same, err := a.same(e)
		if err != nil {
			return nil, fmt.Errorf("compare %s: %w", e.path, err)
		}
		if !same {
			out = append(out, e)
		}
	}
	return out, nil
}

func (a *Applier) same(e entry) (bool, error) {
	info, err := os.Lstat(a.at(e.path))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if e.link != "" {
		target, err := os.Readlink(a.at(e.path))
		return err == nil && target == e.link, nil
	}
	if !info.Mode().IsRegular() || info.Mode().Perm() != e.mode {
		return false, nil
	}
	current, err := os.ReadFile(a.at(e.path))
	return bytes.Equal(current, e.content), err
}

// write writes one entry atomically.
func (a *Applier) write(e entry) error {
	path := a.at(e.path)
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	switch {
	case err != nil:
	case e.link != "":
		err = atomicfile.Link(path, e.link)
	default:
		err = atomicfile.Write(path, e.content, e.mode)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", e.path, err)
	}
	a.Log.Info("Wrote file", "path", e.path)
	return nil
}

func (a *Applier) remove(path string) error {
	if err := os.Remove(a.at(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", path, err)
	}
	a.Log.Info("Removed file", "path", path)
	return nil
}

// program finds a file of an image on the machine.
func (a *Applier) program(ctx context.Context, image, path string) (string, error) {
	for _, dir := range a.Programs {
		candidate := filepath.Join(dir, filepath.Base(path))
		if info, err := os.Stat(a.at(candidate)); err == nil && info.Mode().IsRegular() {
			return candidate, nil
		}
	}
	if a.Extract == nil {
		return "", fmt.Errorf("%s is in no directory of %v", filepath.Base(path), a.Programs)
	}
	return a.Extract(ctx, image, path)
}

func (a *Applier) readPending() (*pending, error) {
	p := &pending{}
	data, err := a.read(a.Pending)
	if err != nil {
		return nil, fmt.Errorf("read units to be restarted: %w", err)
	}
	if len(data) > 0 {
		if err := json.Unmarshal(data, p); err != nil {
			return nil, fmt.Errorf("read units to be restarted: %w", err)
		}
	}
	return p, nil
}

func (a *Applier) writePending(p *pending) error {
	if !p.Reload && len(p.Units) == 0 {
		return nil
	}
	data, err := json.Marshal(p)
	if err == nil {
		err = a.write(entry{path: a.Pending, mode: 0o600, content: data})
	}
	if err != nil {
		return fmt.Errorf("note units to be restarted: %w", err)
	}
	return nil
}

func (a *Applier) forgetPending() error {
	if err := os.Remove(a.at(a.Pending)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget units to be restarted: %w", err)
	}
	return nil
}
