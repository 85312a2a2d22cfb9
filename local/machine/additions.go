package machine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/userdata"
)

// additionsPath lists the paths of the files that were added, in JSON.
const additionsPath = "/var/lib/gardener-additions.json"

// reserved are directories in which files of the machine itself lie.
var reserved = []string{kubeletDir, "/var/lib/gardener-node-agent", "/home/gardener", keysPath, additionsPath}

// addition is a file that a running machine has besides its user data.
type addition struct {
	name    string // clean path
	content []byte
	mode    fs.FileMode
}

// add writes files that running machines have besides their user data, and removes those that it added earlier. Whoever may write
// Secrets of the shoot chooses the paths: no link leads out of the root, and none of the machine's own files can be chosen.
func (k *Keeper) add(files []extensionsv1alpha1.File, own []string) error {
	wanted, err := additionsOf(files, own)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(k.root)
	if err != nil {
		return fmt.Errorf("open the directory of the machine: %w", err)
	}
	defer root.Close()
	before, err := added(root)
	if err != nil {
		return err
	}
	var names []string
	for _, file := range wanted {
		names = append(names, file.name)
	}
	if err := list(root, slices.Concat(before, names)); err != nil { // first, so that no file is forgotten
		return err
	}
	for _, file := range wanted {
		if err := file.write(root); err != nil {
			return fmt.Errorf("add file %s: %w", file.name, err)
		}
	}
	for _, name := range before {
		if slices.Contains(names, name) || taken(name, own) {
			continue
		}
		if err := root.Remove(inside(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove added file: %w", err)
		}
	}
	return list(root, names)
}

// additionsOf refuses paths of the machine itself. Programs of images are skipped, because they are part of this binary.
func additionsOf(files []extensionsv1alpha1.File, own []string) (out []addition, err error) {
	for _, file := range files {
		if file.Content.Inline == nil {
			continue
		}
		to := addition{name: path.Clean(file.Path), mode: fs.FileMode(ptr.Deref(file.Permissions, 0o644)) & fs.ModePerm}
		if !path.IsAbs(file.Path) || taken(to.name, own) {
			return nil, fmt.Errorf("add file %s: the path must be absolute, and not be one of the machine's own", file.Path)
		}
		if to.content, err = userdata.DecodeContent(file.Content.Inline.Encoding, file.Content.Inline.Data); err != nil {
			return nil, fmt.Errorf("add file %s: %w", file.Path, err)
		}
		out = append(out, to)
	}
	return out, nil
}

// taken reports whether a clean path is that of a file of the machine itself, or below one.
func taken(name string, own []string) bool {
	return name == "/" || slices.ContainsFunc(slices.Concat(reserved, own), func(other string) bool {
		other = path.Clean(other)
		return name == other || strings.HasPrefix(name, other+"/")
	})
}

// inside is an absolute path relative to the root.
func inside(name string) string { return "." + path.Clean("/"+name) }

func added(root *os.Root) (paths []string, err error) {
	data, err := root.ReadFile(inside(additionsPath))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the list of added files: %w", err)
	}
	if err := json.Unmarshal(data, &paths); err != nil {
		return nil, fmt.Errorf("read the list of added files: %w", err)
	}
	return paths, nil
}

// list writes the list, in order and without repetition. No names need no list.
func list(root *os.Root, names []string) error {
	if len(names) == 0 {
		if err := root.Remove(inside(additionsPath)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove the list of added files: %w", err)
		}
		return nil
	}
	data, err := json.Marshal(slices.Compact(slices.Sorted(slices.Values(names))))
	if err == nil {
		err = update(root, additionsPath, data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("write the list of added files: %w", err)
	}
	return nil
}

func (a addition) write(root *os.Root) error {
	if err := root.MkdirAll(inside(path.Dir(a.name)), 0o755); err != nil {
		return err
	}
	return update(root, a.name, a.content, a.mode)
}

// update replaces a file in one step if it differs.
func update(root *os.Root, name string, content []byte, mode fs.FileMode) error {
	name = inside(name)
	if info, err := root.Lstat(name); err == nil && info.Mode() == mode {
		if data, err := root.ReadFile(name); err == nil && bytes.Equal(data, content) {
			return nil
		}
	}
	temporary := name + ".new"
	if err := root.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := root.WriteFile(temporary, content, mode); err != nil {
		return err
	}
	return errors.Join(root.Chmod(temporary, mode), root.Rename(temporary, name))
}
