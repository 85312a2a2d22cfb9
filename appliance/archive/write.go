package archive

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
)

// Writer writes an archive. After an error that is neither ErrUnfit nor ErrFull, nothing else can be written, and the archive is worthless.
type Writer struct {
	packed   *zstd.Encoder
	tar      *tar.Writer
	created  time.Time
	manifest Manifest
	names    map[string]bool
	files    map[string]bool
	used     int // weight of all entries
	warned   int // bytes of all warnings
}

// NewWriter begins an archive.
func NewWriter(w io.Writer, header Header) (*Writer, error) {
	packed, err := zstd.NewWriter(w, zstd.WithWindowSize(window), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return nil, err
	}
	header.Format = Format
	out := &Writer{packed: packed, tar: tar.NewWriter(packed), created: header.Created, names: map[string]bool{}, files: map[string]bool{}}
	return out, out.json(headerName, header)
}

// Left is the weight of the entries that the archive can still hold.
func (w *Writer) Left() int { return maxEntries - spare - w.used }

// fits refuses what a reader would refuse, and notes the rest.
func (w *Writer) fits(entry Entry) error {
	weight := Weight(entry.Path, entry.Target)
	err := validName(entry.Path)
	switch {
	case err != nil:
	case entry.Kind == Link:
		err = validTarget(entry.Target)
	case entry.Kind == HardLink && !w.files[entry.Target]:
		err = fmt.Errorf("%q leads to no file", entry.Path)
	case entry.Length > maxLength:
		err = fmt.Errorf("%q is too large", entry.Path)
	case entry.Size < 0 || entry.Length < 0:
		err = fmt.Errorf("%q has no size", entry.Path)
	}
	if err == nil && w.names[entry.Path] {
		err = fmt.Errorf("%q is there already", entry.Path)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnfit, err)
	}
	if weight > w.Left() {
		return ErrFull
	}
	w.names[entry.Path] = true
	if entry.Kind == File {
		w.files[entry.Path] = true
	}
	w.used += weight
	return nil
}

// Dir adds a directory.
func (w *Writer) Dir(path string, mode fs.FileMode, owner Owner) error {
	entry := Entry{Path: path, Kind: Dir, Mode: mode.Perm(), Owner: owner}
	if err := w.fits(entry); err != nil {
		return err
	}
	w.manifest.Entries = append(w.manifest.Entries, entry)
	return w.head(tar.Header{Typeflag: tar.TypeDir, Name: path + "/", Mode: int64(mode.Perm())}, owner)
}

// Link adds a symbolic link.
func (w *Writer) Link(path, target string, owner Owner) error {
	entry := Entry{Path: path, Kind: Link, Target: target, Owner: owner}
	if err := w.fits(entry); err != nil {
		return err
	}
	w.manifest.Entries = append(w.manifest.Entries, entry)
	return w.head(tar.Header{Typeflag: tar.TypeSymlink, Name: path, Linkname: target}, owner)
}

// File adds a file with the next size bytes of the content. If there are fewer, the rest is zeros, and short is true.
func (w *Writer) File(path string, mode fs.FileMode, owner Owner, size int64, content io.Reader) (short bool, err error) {
	return w.file(Entry{Path: path, Kind: File, Mode: mode.Perm(), Owner: owner, Size: size}, content)
}

// HardLink adds another name of a file that was added.
func (w *Writer) HardLink(path, target string) error {
	entry := Entry{Path: path, Kind: HardLink, Target: target}
	if err := w.fits(entry); err != nil {
		return err
	}
	w.manifest.Entries = append(w.manifest.Entries, entry)
	return w.head(tar.Header{Typeflag: tar.TypeLink, Name: path, Linkname: target}, Owner{})
}

func (w *Writer) file(entry Entry, content io.Reader) (short bool, err error) {
	if err := w.fits(entry); err != nil {
		return false, err
	}
	head := tar.Header{Typeflag: tar.TypeReg, Name: entry.Path, Mode: int64(entry.Mode), Size: entry.Size}
	if entry.Length > 0 {
		head.PAXRecords = map[string]string{lengthRecord: strconv.FormatInt(entry.Length, 10)}
	}
	if err := w.head(head, entry.Owner); err != nil {
		return false, err
	}
	sum := sha256.New()
	out := io.MultiWriter(w.tar, sum)
	n, err := io.Copy(out, io.LimitReader(content, entry.Size))
	if err == nil && n < entry.Size {
		short = true
		_, err = io.CopyN(out, zeros{}, entry.Size-n)
	}
	if err != nil {
		return short, fmt.Errorf("add %s: %w", entry.Path, err)
	}
	entry.Sum = hex.EncodeToString(sum.Sum(nil))
	w.manifest.Entries = append(w.manifest.Entries, entry)
	return short, nil
}

// Warn notes what the archive lacks. A long text is cut, and texts beyond the room for them are dropped.
func (w *Writer) Warn(text string) {
	text = strings.ToValidUTF8(text[:min(len(text), maxWarning)], "")
	if w.warned += 6*len(text) + 3; w.warned <= spare*unit/2 { // JSON needs six bytes for some characters
		w.manifest.Warnings = append(w.manifest.Warnings, text)
	}
}

// Close writes the manifest and returns it. It does not close the writer below.
func (w *Writer) Close() (Manifest, error) {
	if err := w.json(manifestName, w.manifest); err != nil {
		return Manifest{}, err
	}
	if err := w.tar.Close(); err != nil {
		return Manifest{}, err
	}
	return w.manifest, w.packed.Close()
}

func (w *Writer) json(name string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if err := w.head(tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o600, Size: int64(len(text))}, Owner{}); err != nil {
		return err
	}
	_, err = io.Copy(w.tar, bytes.NewReader(text))
	return err
}

func (w *Writer) head(h tar.Header, owner Owner) error {
	h.Uid, h.Gid = int(owner.User), int(owner.Group)
	h.ModTime, h.Format = w.created, tar.FormatPAX
	if err := w.tar.WriteHeader(&h); err != nil {
		return fmt.Errorf("add %s: %w", h.Name, err)
	}
	return nil
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
