package archive

import (
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
)

// Extent is a part of a file that is no hole.
type Extent struct{ Offset, Size int64 }

// extentHead is the size of the offset and the size of an extent, which come before its data.
const extentHead = 16

// Sparse adds a file with holes: the extents of it, which are in order. A part of the content that is missing is zeros, and short is true.
func (w *Writer) Sparse(path string, mode fs.FileMode, owner Owner, length int64, extents []Extent, content io.ReaderAt) (short bool, err error) {
	entry := Entry{Path: path, Kind: File, Mode: mode.Perm(), Owner: owner, Length: length}
	var parts []io.Reader
	for _, e := range extents {
		entry.Size += extentHead + e.Size
	}
	missing := false
	for _, e := range extents {
		parts = append(parts, &extentReader{Extent: e, content: content, short: &missing})
	}
	short, err = w.file(entry, io.MultiReader(parts...))
	return short || missing, err
}

// extentReader reads the head of an extent, and then its data.
type extentReader struct {
	Extent
	content io.ReaderAt
	begun   bool
	head    []byte
	done    int64
	short   *bool
}

func (r *extentReader) Read(p []byte) (int, error) {
	if !r.begun {
		r.begun = true
		r.head = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(r.Offset)), uint64(r.Size))
	}
	if len(r.head) > 0 {
		n := copy(p, r.head)
		r.head = r.head[n:]
		return n, nil
	}
	if r.done == r.Size {
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), r.Size-r.done)]
	n, err := r.content.ReadAt(p, r.Offset+r.done)
	if errors.Is(err, io.EOF) && n < len(p) {
		clear(p[n:])
		n, *r.short = len(p), true
	} else if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	r.done += int64(n)
	return n, nil
}

// writeSparse writes a file with holes.
func writeSparse(file *os.File, length int64, content io.Reader) (read int64, err error) {
	if err := file.Truncate(length); err != nil {
		return 0, err
	}
	var head [extentHead]byte
	for end := int64(0); ; {
		n, err := io.ReadFull(content, head[:])
		read += int64(n)
		if errors.Is(err, io.EOF) {
			return read, nil
		}
		if err != nil {
			return read, damaged(err)
		}
		e := Extent{int64(binary.BigEndian.Uint64(head[:8])), int64(binary.BigEndian.Uint64(head[8:]))}
		if e.Offset < end || e.Size < 0 || e.Offset > length || e.Size > length-e.Offset {
			return read, damaged(errors.New("the holes of a file are no order"))
		}
		end = e.Offset + e.Size
		copied, err := io.CopyN(io.NewOffsetWriter(file, e.Offset), content, e.Size)
		read += copied
		if err != nil {
			return read, err
		}
	}
}
