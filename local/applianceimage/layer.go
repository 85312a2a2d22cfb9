package applianceimage

import (
	"archive/tar"
	"fmt"
	"io"
	"os"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// layer is the file system of the image: the binary and the directories that programs expect. It is not compressed,
// because the image stays on one machine and compression would take longer than everything else. The binary is read
// each time the content is requested.
type layer struct {
	binary string
	hash   v1.Hash
	length int64
}

func newLayer(binary string) (*layer, error) {
	l := &layer{binary: binary}
	content, err := l.Uncompressed()
	if err != nil {
		return nil, err
	}
	defer content.Close()
	if l.hash, l.length, err = v1.SHA256(content); err != nil {
		return nil, fmt.Errorf("read the binary for the appliance image: %w", err)
	}
	return l, nil
}

// Digest implements v1.Layer.
func (l *layer) Digest() (v1.Hash, error) { return l.hash, nil }

// DiffID implements v1.Layer.
func (l *layer) DiffID() (v1.Hash, error) { return l.hash, nil }

// Size implements v1.Layer.
func (l *layer) Size() (int64, error) { return l.length, nil }

// MediaType implements v1.Layer.
func (l *layer) MediaType() (types.MediaType, error) { return types.OCIUncompressedLayer, nil }

// Compressed implements v1.Layer.
func (l *layer) Compressed() (io.ReadCloser, error) { return l.Uncompressed() }

// Uncompressed implements v1.Layer.
func (l *layer) Uncompressed() (io.ReadCloser, error) {
	file, err := os.Open(l.binary)
	if err != nil {
		return nil, fmt.Errorf("read the binary for the appliance image: %w", err)
	}
	reader, writer := io.Pipe()
	go func() {
		defer file.Close()
		writer.CloseWithError(write(writer, file))
	}()
	return reader, nil
}

// write writes the archive. Its content depends neither on the time nor on the user.
func write(w io.Writer, binary *os.File) error {
	info, err := binary.Stat()
	if err != nil {
		return err
	}
	archive := tar.NewWriter(w)
	for _, header := range []*tar.Header{
		{Typeflag: tar.TypeDir, Name: "etc/", Mode: 0o755},
		{Typeflag: tar.TypeDir, Name: "tmp/", Mode: 0o1777},
		{Typeflag: tar.TypeDir, Name: "var/", Mode: 0o755},
		{Typeflag: tar.TypeReg, Name: path[1:], Mode: 0o755, Size: info.Size()},
	} {
		header.Format, header.ModTime = tar.FormatUSTAR, time.Unix(0, 0)
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
	}
	if _, err := io.Copy(archive, binary); err != nil {
		return err
	}
	return archive.Close()
}
