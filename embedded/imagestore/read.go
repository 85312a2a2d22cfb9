package imagestore

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// Archived is an image in an archive or a directory, with its names there.
type Archived struct {
	Image v1.Image
	Names []Reference
}

// ReadArchive reads what Load stores, without a store. Of an image for several platforms it takes that of the given one; others are returned
// whatever their platform is. The images need the archive and the temporary directory as long as they are read.
func ReadArchive(path, temporary string, wanted v1.Platform) ([]Archived, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return layoutImages(path, wanted)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return readArchive(file, temporary, wanted)
}

func readArchive(archive io.Reader, temporary string, wanted v1.Platform) ([]Archived, error) {
	plain, err := decompress(archive)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(temporary, "archive")
	if err := copyTo(path, plain); err != nil {
		return nil, err
	}
	switch kind, err := kindOf(path); {
	case err != nil:
		return nil, fmt.Errorf("this is no tar archive: %w", err)
	case kind == manifestFile:
		return archiveImages(path)
	case kind == indexFile:
		dir := filepath.Join(temporary, "layout")
		if err := extract(path, dir); err != nil {
			return nil, err
		}
		return layoutImages(dir, wanted)
	default:
		return nil, fmt.Errorf("the archive has neither %s (docker save) nor %s (OCI image layout)", manifestFile, indexFile)
	}
}

// decompress undoes gzip, if the stream is compressed.
func decompress(stream io.Reader) (io.Reader, error) {
	buffered := bufio.NewReader(stream)
	if magic, err := buffered.Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		return gzip.NewReader(buffered)
	}
	return buffered, nil
}

func copyTo(path string, content io.Reader) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Close())
}

// extract writes the regular files of an archive below a directory that it makes. Nothing can be written elsewhere.
func extract(archive, dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	return walk(archive, func(header *tar.Header, content io.Reader) error {
		if header.Typeflag != tar.TypeReg {
			return nil
		}
		path := filepath.Clean(header.Name)
		if err := root.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		file, err := root.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fs.FileMode(0o600))
		if err != nil {
			return err
		}
		_, err = io.Copy(file, content)
		return errors.Join(err, file.Close())
	})
}
