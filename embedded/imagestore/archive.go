package imagestore

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// Files that tell the format of an archive.
const (
	manifestFile = "manifest.json" // docker save. Newer versions write both files
	indexFile    = "index.json"    // OCI image layout
)

// kindOf returns the name of the file that tells the format, or nothing. Docker's format comes first, since it has full names.
func kindOf(archive string) (string, error) {
	var found string
	err := walk(archive, func(header *tar.Header, _ io.Reader) error {
		switch filepath.Clean(header.Name) {
		case manifestFile:
			found = manifestFile
		case indexFile:
			if found == "" {
				found = indexFile
			}
		}
		return nil
	})
	return found, err
}

func walk(archive string, visit func(*tar.Header, io.Reader) error) error {
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	reader := tar.NewReader(file)
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := visit(header, reader); err != nil {
			return err
		}
	}
}

// archiveImages reads an archive of docker save.
func archiveImages(path string) ([]Archived, error) {
	open := func() (io.ReadCloser, error) { return os.Open(path) }
	manifest, err := tarball.LoadManifest(open)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", manifestFile, err)
	}
	var images []Archived
	for _, descriptor := range manifest {
		var found Archived
		var tag *name.Tag
		for _, text := range descriptor.RepoTags {
			reference, err := Parse(text)
			if err != nil {
				return nil, err
			}
			found.Names = append(found.Names, reference)
		}
		if len(descriptor.RepoTags) > 0 {
			parsed, err := name.NewTag(descriptor.RepoTags[0])
			if err != nil {
				return nil, err
			}
			tag = &parsed
		}
		if found.Image, err = tarball.Image(open, tag); err != nil {
			return nil, fmt.Errorf("read image: %w", err)
		}
		images = append(images, found)
	}
	return images, nil
}
