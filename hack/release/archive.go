package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// entry is a file of an archive.
type entry struct {
	Name, Source string
	Mode         fs.FileMode
}

// archiveName is that of the archive for an architecture, without an extension. It is also the directory in it.
func (r *release) archiveName(architecture string) string {
	return fmt.Sprintf("%s_%s_linux_%s", r.Name, r.Version, architecture)
}

// writeArchive writes the binary with its man pages, completions and documents.
func (r *release) writeArchive(p program, m manual) error {
	root := r.archiveName(p.Architecture)
	entries := []entry{{Name: path.Join(root, r.Name), Source: p.Path, Mode: 0o755}}
	for _, document := range r.Documents {
		entries = append(entries, entry{Name: path.Join(root, document), Source: filepath.Join(r.Root, document), Mode: 0o644})
	}
	for _, page := range m.Pages {
		entries = append(entries, entry{Name: path.Join(root, "man1", filepath.Base(page)), Source: page, Mode: 0o644})
	}
	for _, shell := range shells {
		file := m.Completions[shell]
		entries = append(entries, entry{Name: path.Join(root, "completions", shell, filepath.Base(file)), Source: file, Mode: 0o644})
	}
	return create(r.file(root+".tar.gz"), func(w io.Writer) error {
		reader, writer := io.Pipe()
		go func() { writer.CloseWithError(writeTar(writer, entries, r.Time)) }()
		err := compress(w, reader, r.level())
		_ = reader.CloseWithError(err)
		return err
	})
}

// writeTar writes files in the order of their names. Owners and times do not depend on this machine.
func writeTar(w io.Writer, entries []entry, at time.Time) error {
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.Name, b.Name) })
	archive := tar.NewWriter(w)
	for _, e := range entries {
		if err := writeEntry(archive, e, at); err != nil {
			return fmt.Errorf("pack %s: %w", e.Name, err)
		}
	}
	return archive.Close()
}

func writeEntry(archive *tar.Writer, e entry, at time.Time) error {
	file, err := os.Open(e.Source)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	header := &tar.Header{Typeflag: tar.TypeReg, Name: e.Name, Mode: int64(e.Mode), Size: info.Size(), ModTime: at}
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	_, err = io.Copy(archive, file)
	return err
}

// level is that of the compression of archives.
func (r *release) level() int {
	if r.Fast {
		return gzip.BestSpeed
	}
	return gzip.BestCompression
}

// compress writes no name and no time.
func compress(w io.Writer, content io.Reader, level int) error {
	compressed, err := gzip.NewWriterLevel(w, level)
	if err != nil {
		return err
	}
	_, err = io.Copy(compressed, content)
	return errors.Join(err, compressed.Close())
}

func create(path string, write func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}
