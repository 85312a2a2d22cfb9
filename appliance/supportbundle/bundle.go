// Package supportbundle writes one archive with what somebody needs who helps with a landscape: logs, status, events, objects,
// versions and configuration. Every text passes through package redact, whatever it is. Contents of Secrets, keys and databases are
// never read into it. The package does not know the command line.
package supportbundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/gardener-up/gardener-up/appliance/supportbundle/redact"
)

// patience is how long one section may take. A part that hangs must not keep the rest from being collected.
const patience = 30 * time.Second

// ErrNothing is returned by a section that does not exist in this landscape. It is left out without a word.
var ErrNothing = errors.New("nothing to collect")

// Section is one file of the archive.
type Section struct {
	// Name is the path in the archive.
	Name string
	// Collect writes the content. What it wrote before an error is kept.
	Collect func(ctx context.Context, w io.Writer) error
}

// Manifest says what is in the archive, and what is missing.
type Manifest struct {
	Format    int       `json:"format"` // Format of this version
	Version   string    `json:"version"`
	Landscape string    `json:"landscape"`
	Created   time.Time `json:"created"`
	// KnownSecrets is the number of values that were searched for.
	KnownSecrets int       `json:"knownSecrets"`
	Files        []File    `json:"files"`
	Missing      []Missing `json:"missing,omitempty"`
}

// Format is the format of archives. It changes when names of files do.
const Format = 1

// File is a file of the archive.
type File struct {
	Name string `json:"name"`
	Size int    `json:"size"` // in bytes
}

// Missing is something that could not be collected, or not wholly.
type Missing struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// Bundle is what is written.
type Bundle struct {
	Manifest Manifest
	Sections []Section
	Redactor *redact.Redactor
}

// manifestName is that of the last file.
const manifestName = "manifest.json"

// Write collects the sections and writes the archive, a tar that is compressed by gzip. It returns the manifest, which is the last file.
// Sections that fail are in the manifest; an error means that the archive could not be written.
func (b Bundle) Write(ctx context.Context, w io.Writer) (Manifest, error) {
	zip := gzip.NewWriter(w)
	archive := tar.NewWriter(zip)
	m := b.Manifest
	m.Format = Format
	for _, section := range b.Sections {
		if err := ctx.Err(); err != nil {
			return m, err
		}
		content, err := b.collect(ctx, section)
		if err != nil && !errors.Is(err, ErrNothing) {
			m.Missing = append(m.Missing, Missing{section.Name, b.Redactor.Text(err.Error())})
		}
		if len(content) == 0 {
			continue
		}
		m.Files = append(m.Files, File{section.Name, len(content)})
		if err := m.put(archive, section.Name, content); err != nil {
			return m, err
		}
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err == nil {
		err = m.put(archive, manifestName, append(text, '\n'))
	}
	if err = errors.Join(err, archive.Close(), zip.Close()); err != nil {
		return m, fmt.Errorf("write bundle: %w", err)
	}
	return m, nil
}

// collect returns the content of a section without secrets.
func (b Bundle) collect(ctx context.Context, section Section) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var raw, content bytes.Buffer
	err := section.Collect(ctx, &raw)
	err = errors.Join(err, b.Redactor.Copy(&content, &raw))
	return content.Bytes(), err
}

func (m Manifest) put(archive *tar.Writer, name string, content []byte) error {
	header := &tar.Header{Typeflag: tar.TypeReg, Name: "gardener-support/" + name, Mode: 0o600, Size: int64(len(content)), ModTime: m.Created}
	if err := archive.WriteHeader(header); err != nil {
		return fmt.Errorf("write %s into the bundle: %w", name, err)
	}
	if _, err := archive.Write(content); err != nil {
		return fmt.Errorf("write %s into the bundle: %w", name, err)
	}
	return nil
}

// JSON is a section with a value.
func JSON(name string, value func(ctx context.Context) (any, error)) Section {
	return Section{Name: name, Collect: func(ctx context.Context, w io.Writer) error {
		found, err := value(ctx)
		if err != nil {
			return err
		}
		return writeJSON(w, found)
	}}
}

// writeJSON writes a value without what may be secret by the names of its fields.
func writeJSON(w io.Writer, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	var plain any
	if err := json.Unmarshal(text, &plain); err != nil {
		return err
	}
	if object, is := plain.(map[string]any); is {
		redact.Object(object)
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(plain)
}
