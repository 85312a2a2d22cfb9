package apply

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/gardener-up/gardener-up/controllers/nodeagent/containerd"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

const (
	unitDir     = "/etc/systemd/system"
	defaultMode = 0o644
)

// entry is the desired state of one path of the machine.
type entry struct {
	path string
	mode fs.FileMode
	// content of the file, or the target of a link.
	content []byte
	link    string
	// unit is the name of the unit to restart when the entry changes; empty for files that units name themselves.
	unit string
	// definition means that systemd reads the file.
	definition bool
}

// entries lists all paths of a content. A machine is new if no content has been applied to it completely.
func (a *Applier) entries(ctx context.Context, content Content, isNew bool) ([]entry, error) {
	var out []entry
	for _, file := range content.Files {
		e, err := a.fileEntry(ctx, file)
		if err != nil {
			return nil, fmt.Errorf("prepare file %s: %w", file.Path, err)
		}
		out = append(out, e)
	}
	for _, unit := range content.Units {
		out = append(out, unitEntries(unit)...)
	}
	if content.CRI == nil || content.CRI.Name != extensionsv1alpha1.CRINameContainerD {
		return out, nil
	}
	current, err := a.read(containerd.ConfigPath)
	if err != nil {
		return nil, err
	}
	merged, err := containerd.Merge(current, content.CRI, isNew || len(current) == 0)
	if err != nil {
		return nil, err
	}
	if isNew || !bytes.Equal(merged, current) {
		out = append(out, entry{path: containerd.ConfigPath, mode: defaultMode, content: merged, unit: containerd.Unit})
	}
	for path, text := range containerd.Hosts(content.CRI) {
		out = append(out, entry{path: path, mode: defaultMode, content: []byte(text)})
	}
	return out, nil
}

func unitEntries(unit extensionsv1alpha1.Unit) []entry {
	var out []entry
	if unit.Content != nil && *unit.Content != "" {
		out = append(out, entry{path: filepath.Join(unitDir, unit.Name), mode: defaultMode, content: []byte(*unit.Content), unit: unit.Name, definition: true})
	}
	for _, dropIn := range unit.DropIns {
		path := filepath.Join(unitDir, unit.Name+".d", dropIn.Name)
		out = append(out, entry{path: path, mode: defaultMode, content: []byte(dropIn.Content), unit: unit.Name, definition: true})
	}
	return out
}

func (a *Applier) fileEntry(ctx context.Context, file extensionsv1alpha1.File) (entry, error) {
	if !filepath.IsAbs(file.Path) {
		return entry{}, fmt.Errorf("the path is not absolute")
	}
	e := entry{path: filepath.Clean(file.Path), mode: defaultMode}
	if file.Permissions != nil && *file.Permissions != 0 {
		e.mode = fs.FileMode(*file.Permissions).Perm()
	}
	switch content := file.Content; {
	case content.Inline != nil:
		data, err := decode(content.Inline.Encoding, content.Inline.Data)
		e.content = data
		return e, err
	case content.ImageRef != nil:
		target, err := a.program(ctx, content.ImageRef.Image, content.ImageRef.FilePathInImage)
		e.link = target
		return e, err
	case content.SecretRef != nil:
		return entry{}, fmt.Errorf("secret %s cannot be read here: the sender of the content must resolve it", content.SecretRef.Name)
	}
	return e, nil
}

func decode(encoding, data string) ([]byte, error) {
	switch encoding {
	case "":
		return []byte(data), nil
	case "b64":
		return base64.StdEncoding.DecodeString(data)
	}
	return nil, fmt.Errorf("unknown encoding %q", encoding)
}

// vanished lists what a former content had and the new one does not.
func vanished(before, now Content) (paths, units []string) {
	pathsOf := func(c Content) []string {
		var out []string
		for _, file := range c.Files {
			out = append(out, filepath.Clean(file.Path))
		}
		for _, unit := range c.Units {
			for _, e := range unitEntries(unit) {
				out = append(out, e.path)
			}
		}
		for path := range containerd.Hosts(c.CRI) {
			out = append(out, path)
		}
		return out
	}
	kept := pathsOf(now)
	for _, path := range pathsOf(before) {
		if !slices.Contains(kept, path) {
			paths = append(paths, path)
		}
	}
	for _, unit := range before.Units {
		// A unit that was only extended or started belongs to the system.
		ours := unit.Content != nil && *unit.Content != ""
		if ours && !slices.ContainsFunc(now.Units, func(u extensionsv1alpha1.Unit) bool { return u.Name == unit.Name }) {
			units = append(units, unit.Name)
		}
	}
	return paths, units
}
