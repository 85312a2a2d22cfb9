package bundle

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
)

// Write makes a bundle from the files of a list, which are below a directory. It checks their digests on the way. A bundle of that
// name is replaced when the new one is complete. The result is the digest of the bundle.
func Write(file string, list List, key ed25519.PrivateKey, dir string) (digest string, err error) {
	list.Format = format
	if err := list.check(); err != nil {
		return "", err
	}
	text, err := list.encode()
	if err != nil {
		return "", err
	}
	signed, err := sign(key, text)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	err = atomicfile.WriteBy(file, 0o644, func(w io.Writer) error {
		w = io.MultiWriter(w, sum)
		for _, first := range []struct {
			name string
			text []byte
		}{{listFile, text}, {signatureFile, signed}} {
			if err := writeContent(w, first.name, int64(len(first.text)), func(w io.Writer) error { _, err := w.Write(first.text); return err }); err != nil {
				return err
			}
		}
		for _, f := range list.Files {
			if err := writeContent(w, f.Path, f.Size, func(w io.Writer) error { return f.copy(w, dir) }); err != nil {
				return err
			}
		}
		_, err := w.Write(end)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("write bundle: %w", err)
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil)), nil
}

func writeContent(w io.Writer, name string, size int64, content func(io.Writer) error) error {
	head, err := header(name, size)
	if err != nil {
		return err
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	if err := content(w); err != nil {
		return err
	}
	_, err = w.Write(end[:filling(size)])
	return err
}

// copy copies the file from below a directory.
func (f File) copy(w io.Writer, dir string) error {
	path := filepath.Join(dir, filepath.FromSlash(f.Path))
	source, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, sum), source)
	if err != nil {
		return err
	}
	if n != f.Size || hex.EncodeToString(sum.Sum(nil)) != f.SHA256 {
		return fmt.Errorf("%s is not what was downloaded: remove it and begin again", path)
	}
	return nil
}
