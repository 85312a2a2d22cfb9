package bundle

import (
	"archive/tar"
	"bytes"
	"fmt"
	"time"
)

// block is the unit of tar: headers have one, and contents are filled up to a whole number.
const block = 512

// end is how an archive ends.
var end = make([]byte, 2*block)

// header is what precedes a file in the archive. It has neither an owner nor a time.
func header(name string, size int64) ([]byte, error) {
	var text bytes.Buffer
	err := tar.NewWriter(&text).WriteHeader(&tar.Header{
		Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o644, ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR,
	})
	if err != nil {
		return nil, fmt.Errorf("%s with %d bytes: %w", name, size, err) // a file may have 8 GiB
	}
	return text.Bytes(), nil
}

// filling is how many bytes follow a content of that size.
func filling(size int64) int64 { return (block - size%block) % block }
