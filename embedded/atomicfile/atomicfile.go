// Package atomicfile replaces files in one step. A reader sees either the old or the new content, also after a crash or a power cut,
// and never a mixture. The package imports the standard library only, and everyone may import it.
package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// infix is in the names of temporary files.
const infix = ".tmp-"

// Update writes a file unless it has this content already. Its directory is made if needed, by the mode dir.
func Update(path string, content []byte, mode, dir fs.FileMode) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, content) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), dir); err != nil {
		return err
	}
	return Write(path, content, mode)
}

// Write replaces a file. The file has the mode regardless of the umask; its directory has to exist.
func Write(path string, content []byte, mode fs.FileMode) error {
	return WriteFrom(path, bytes.NewReader(content), mode)
}

// WriteFrom replaces a file by the content of a reader.
func WriteFrom(path string, content io.Reader, mode fs.FileMode) error {
	return WriteBy(path, mode, func(w io.Writer) error {
		_, err := io.Copy(w, content)
		return err
	})
}

// WriteBy replaces a file by the content that a function writes. If the function returns an error, the old file stays.
func WriteBy(path string, mode fs.FileMode, write func(io.Writer) error) error {
	temporary, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+infix)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err = write(temporary); err == nil {
		err = errors.Join(temporary.Chmod(mode), temporary.Sync())
	}
	if err = errors.Join(err, temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		_ = os.Remove(temporary.Name())
		return fmt.Errorf("write %s: %w", path, err)
	}
	return syncDir(filepath.Dir(path))
}

// Link replaces a file by a symbolic link.
func Link(path, target string) error {
	dir, err := os.MkdirTemp(filepath.Dir(path), infix)
	if err != nil {
		return fmt.Errorf("link %s: %w", path, err)
	}
	temporary := filepath.Join(dir, filepath.Base(path))
	if err = os.Symlink(target, temporary); err == nil {
		err = os.Rename(temporary, path)
	}
	if err = errors.Join(err, os.RemoveAll(dir)); err != nil {
		return fmt.Errorf("link %s: %w", path, err)
	}
	return syncDir(filepath.Dir(path))
}

// Move renames a file or a directory to a path in the same directory, and waits until the new name survives a power cut.
func Move(path, target string) error {
	if err := os.Rename(path, target); err != nil {
		return err
	}
	return syncDir(filepath.Dir(target))
}

// IsTemporary reports whether the name is that of a half-written file, which a crash left behind.
func IsTemporary(name string) bool {
	return strings.HasPrefix(name, ".") && strings.Contains(name, infix)
}

// syncDir makes the new name survive a power cut: the sync of a file does not include its name.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("sync directory: %w", err)
	}
	if err := errors.Join(dir.Sync(), dir.Close()); err != nil {
		return fmt.Errorf("sync directory: %w", err)
	}
	return nil
}
