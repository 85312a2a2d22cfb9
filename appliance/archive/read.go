package archive

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Visit is called for each entry. The sum of the entry is empty: it is compared with the manifest after the content was read. What Visit
// does not read of the content is read after it.
type Visit func(entry Entry, content io.Reader) error

// ReadHeader reads the beginning of an archive only.
func ReadHeader(r io.Reader) (Header, error) {
	in, err := open(context.Background(), r)
	if err != nil {
		return Header{}, err
	}
	defer in.packed.Close()
	return in.header()
}

// Verify reads a whole archive and checks it against its manifest. It writes nothing.
func Verify(ctx context.Context, r io.Reader) (Header, Manifest, error) {
	return Read(ctx, r, func(Entry, io.Reader) error { return nil })
}

// Read calls visit for each entry, and checks the archive against its manifest. Visited entries are only right if Read returns no error.
func Read(ctx context.Context, r io.Reader, visit Visit) (Header, Manifest, error) {
	in, err := open(ctx, r)
	if err != nil {
		return Header{}, Manifest{}, err
	}
	defer in.packed.Close()
	header, err := in.header()
	if err != nil {
		return header, Manifest{}, err
	}
	manifest, err := in.entries(visit)
	return header, manifest, err
}

// reader reads the members of the tar one after another.
type reader struct {
	packed *zstd.Decoder
	tar    *tar.Reader
	seen   map[string]string // kinds of the entries by their paths
}

func open(ctx context.Context, r io.Reader) (*reader, error) {
	packed, err := zstd.NewReader(until{ctx, r}, zstd.WithDecoderMaxWindow(window), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, damaged(err)
	}
	return &reader{packed: packed, tar: tar.NewReader(packed), seen: map[string]string{}}, nil
}

func (r *reader) header() (header Header, err error) {
	head, err := r.tar.Next()
	if err != nil {
		return header, damaged(err)
	}
	if head.Name != headerName {
		return header, damaged(errors.New("it does not begin with a header"))
	}
	if err := r.json(head, maxHeader, &header); err != nil {
		return header, err
	}
	switch {
	case header.Format > Format:
		return header, fmt.Errorf("%w: its format is %d, and this binary (format %d) does not know it", ErrNewer, header.Format, Format)
	case header.Format < 1 || header.Landscape == "" || header.Identity == "":
		return header, damaged(errors.New("its header names no landscape"))
	}
	return header, nil
}

// entries reads all entries up to the manifest, and what comes after it, which must be nothing.
func (r *reader) entries(visit Visit) (manifest Manifest, err error) {
	var found []Entry
	for {
		head, err := r.tar.Next()
		if errors.Is(err, io.EOF) {
			return manifest, damaged(errors.New("its end is missing"))
		}
		if err != nil {
			return manifest, damaged(err)
		}
		if head.Name == manifestName {
			if err := r.json(head, maxManifest, &manifest); err != nil {
				return manifest, err
			}
			break
		}
		entry, err := r.entry(head, len(found))
		if err != nil {
			return manifest, damaged(err)
		}
		sum := sha256.New()
		content := io.TeeReader(r.tar, sum)
		if err := visit(entry, content); err != nil {
			return manifest, readError(err)
		}
		if _, err := io.Copy(io.Discard, content); err != nil {
			return manifest, damaged(err)
		}
		if entry.Kind == File {
			entry.Sum = hex.EncodeToString(sum.Sum(nil))
		}
		found = append(found, entry)
	}
	if _, err := r.tar.Next(); !errors.Is(err, io.EOF) {
		return manifest, damaged(errors.New("something comes after its manifest"))
	}
	if n, err := io.Copy(io.Discard, io.LimitReader(r.packed, 1<<20)); err != nil || n == 1<<20 { // the padding of the tar, and the checksum of zstd
		return manifest, damaged(errors.Join(err, errors.New("its end is not that of an archive")))
	}
	return manifest, compare(found, manifest.Entries)
}

// entry checks a member of the tar.
func (r *reader) entry(head *tar.Header, before int) (Entry, error) {
	name := strings.TrimSuffix(head.Name, "/")
	if before >= maxEntries {
		return Entry{}, fmt.Errorf("it has more than %d entries", maxEntries)
	}
	if err := validName(name); err != nil {
		return Entry{}, err
	}
	if r.seen[name] != "" {
		return Entry{}, fmt.Errorf("%q is there twice", name)
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if kind := r.seen[dir]; kind != "" && kind != Dir {
			return Entry{}, fmt.Errorf("the path %q leads through a %s", name, kind)
		}
	}
	entry := Entry{Path: name, Mode: fs.FileMode(head.Mode).Perm(), Owner: Owner{uint32(head.Uid), uint32(head.Gid)}}
	if int(entry.User) != head.Uid || int(entry.Group) != head.Gid {
		return Entry{}, fmt.Errorf("the owner of %q is no user", name)
	}
	switch head.Typeflag {
	case tar.TypeReg:
		entry.Kind, entry.Size = File, head.Size
		if text, ok := head.PAXRecords[lengthRecord]; ok {
			length, err := strconv.ParseInt(text, 10, 64)
			if err != nil || length <= 0 || length > maxLength {
				return Entry{}, fmt.Errorf("%q has no size", name)
			}
			entry.Length = length
		}
	case tar.TypeDir:
		entry.Kind = Dir
	case tar.TypeSymlink:
		if err := validTarget(head.Linkname); err != nil {
			return Entry{}, fmt.Errorf("%q: %w", name, err)
		}
		entry.Kind, entry.Mode, entry.Target = Link, 0, head.Linkname
	case tar.TypeLink:
		if r.seen[head.Linkname] != File {
			return Entry{}, fmt.Errorf("the link %q leads to no file", name)
		}
		entry.Kind, entry.Mode, entry.Target = HardLink, 0, head.Linkname
	default:
		return Entry{}, fmt.Errorf("%q is no file, directory or link", name)
	}
	r.seen[name] = entry.Kind
	return entry, nil
}

func (r *reader) json(head *tar.Header, limit int64, value any) error {
	if head.Typeflag != tar.TypeReg || head.Size > limit {
		return damaged(fmt.Errorf("%s is no file of a sensible size", head.Name))
	}
	if err := json.NewDecoder(r.tar).Decode(value); err != nil {
		return damaged(fmt.Errorf("%s: %w", head.Name, err))
	}
	return nil
}

// compare compares what was read with what was written.
func compare(found, listed []Entry) error {
	if slices.Equal(found, listed) {
		return nil
	}
	for i := range min(len(found), len(listed)) {
		if found[i] != listed[i] {
			return damaged(fmt.Errorf("%s is not what the manifest says", found[i].Path))
		}
	}
	return damaged(fmt.Errorf("it has %d entries, and its manifest %d", len(found), len(listed)))
}

// damaged marks an error as that of the archive, unless reading was interrupted or the file cannot be read.
func damaged(err error) error {
	_, ofFile := errors.AsType[*fs.PathError](err)
	if ofFile || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrDamaged) {
		return err
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("its end is missing")
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

// readError is the error of a visitor, which may be one of reading.
func readError(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, zstd.ErrCRCMismatch) {
		return damaged(err)
	}
	return err
}

// until reads until a context ends.
type until struct {
	ctx context.Context
	io.Reader
}

func (u until) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.Reader.Read(p)
}
