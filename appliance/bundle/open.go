package bundle

import (
	"archive/tar"
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
)

// Limits of what is read before the signature is verified.
const (
	largestList      = 64 << 20
	largestSignature = 4 << 10
)

// Bundle is an open bundle. All methods are safe for concurrent use.
type Bundle struct {
	List List
	Key  ed25519.PublicKey // whose signature it has

	file   *os.File
	places map[string]int64 // by the path in the bundle, where the content begins
	sizes  map[string]int64
}

// Is reports whether a file looks like a bundle.
func Is(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	head := make([]byte, block)
	if _, err := io.ReadFull(file, head); err != nil {
		return false
	}
	first, err := tar.NewReader(bytes.NewReader(head)).Next()
	return err == nil && first.Name == listFile
}

// Open verifies the signature of the list, and that the file has the size that follows from it. The bundle must be signed with the key,
// unless that is nil. Contents are checked when they are read, or by Verify.
func Open(path string, key ed25519.PublicKey) (*Bundle, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open bundle: %w", err)
	}
	b := &Bundle{file: file, places: map[string]int64{}, sizes: map[string]int64{}}
	if err := b.open(key); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("open bundle %s: %w", path, err)
	}
	return b, nil
}

// Close closes the file.
func (b *Bundle) Close() error { return b.file.Close() }

func (b *Bundle) open(expected ed25519.PublicKey) error {
	text, at, err := b.first(listFile, 0, largestList)
	if err != nil {
		return err
	}
	signed, at, err := b.first(signatureFile, at, largestSignature)
	if err != nil {
		return err
	}
	if b.Key, err = verifySignature(text, signed, expected); err != nil {
		return err
	}
	list, err := decodeList(text)
	if err != nil {
		return err
	}
	b.List = *list
	for _, f := range list.Files {
		b.places[f.Path], b.sizes[f.Path] = at+block, f.Size
		at += block + f.Size + filling(f.Size)
	}
	info, err := b.file.Stat()
	if err != nil {
		return err
	}
	if want := at + int64(len(end)); info.Size() != want {
		return damaged("it has %d bytes instead of %d", info.Size(), want)
	}
	return nil
}

// first reads a file at the beginning, whose size is not known, and returns where the next one begins.
func (b *Bundle) first(name string, at, largest int64) ([]byte, int64, error) {
	head := make([]byte, block)
	if _, err := b.file.ReadAt(head, at); err != nil {
		return nil, 0, damaged("it has no %s", name)
	}
	found, err := tar.NewReader(bytes.NewReader(head)).Next()
	if err != nil || found.Name != name || found.Size > largest {
		return nil, 0, damaged("it has no %s", name)
	}
	text := make([]byte, found.Size)
	if _, err := b.file.ReadAt(text, at+block); err != nil {
		return nil, 0, damaged("%s is incomplete", name)
	}
	return text, at + block + found.Size + filling(found.Size), b.around(name, at+block, found.Size)
}

// around checks what is before and behind a content.
func (b *Bundle) around(name string, place, size int64) error {
	want, err := header(name, size)
	if err != nil {
		return damaged("%v", err)
	}
	head, behind := make([]byte, block), make([]byte, filling(size))
	if _, err := b.file.ReadAt(head, place-block); err != nil {
		return damaged("%s is incomplete", name)
	}
	if _, err := b.file.ReadAt(behind, place+size); err != nil && len(behind) > 0 {
		return damaged("%s is incomplete", name)
	}
	if !bytes.Equal(head, want) || !bytes.Equal(behind, end[:len(behind)]) {
		return damaged("something was written around %s", name)
	}
	return nil
}

// Verify reads the whole bundle and compares everything with the list.
func (b *Bundle) Verify() error {
	at := int64(0)
	for _, f := range b.List.Files {
		if err := b.around(f.Path, b.places[f.Path], f.Size); err != nil {
			return err
		}
		sum := sha256.New()
		if _, err := io.Copy(sum, b.read(f.Path)); err != nil {
			return fmt.Errorf("read bundle: %w", err)
		}
		if hex.EncodeToString(sum.Sum(nil)) != f.SHA256 {
			return damaged("%s was changed", f.Path)
		}
		at = b.places[f.Path] + f.Size + filling(f.Size)
	}
	last := make([]byte, len(end))
	if _, err := b.file.ReadAt(last, at); err != nil || !bytes.Equal(last, end) {
		return damaged("something was written behind it")
	}
	return nil
}

// read reads a file of the list.
func (b *Bundle) read(path string) *io.SectionReader {
	return io.NewSectionReader(b.file, b.places[path], b.sizes[path])
}
