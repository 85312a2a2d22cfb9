package depot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"strings"

	"gocloud.dev/blob"
	"gocloud.dev/blob/azureblob"
	"gocloud.dev/blob/s3blob"
	"gocloud.dev/gcerrors"
)

// drivers by the schemes of URLs. That of Google is left out: it would add 20 MB to the binary, and its store has the interface of S3, too. They find credentials where the tools of the clouds find them: in variables, in files of the user, and in the
// machine.
var drivers = map[string]struct{}{s3blob.Scheme: {}, azureblob.Scheme: {}}

// writeBuffer bounds the memory for an upload. Clouds want parts of at least 5 MiB, and have at most 10,000 of them.
const writeBuffer = 16 << 20

// bucket is a depot in an object store.
type bucket struct {
	blobs *blob.Bucket
	at    url.URL // with the prefix
}

func openBucket(ctx context.Context, at *url.URL) (Depot, error) {
	whole := url.URL{Scheme: at.Scheme, Host: at.Host, RawQuery: at.RawQuery}
	blobs, err := blob.OpenBucket(ctx, whole.String())
	if err != nil {
		return nil, fmt.Errorf("open bucket %s: %w", whole.String(), err)
	}
	return newBucket(blobs, at), nil
}

func newBucket(blobs *blob.Bucket, at *url.URL) *bucket {
	if prefix := strings.Trim(at.Path, "/"); prefix != "" {
		blobs = blob.PrefixedBucket(blobs, prefix+"/")
	}
	return &bucket{blobs: blobs, at: *at}
}

// List implements Depot.
func (b *bucket) List(ctx context.Context, wanted func(string) bool) ([]Object, error) {
	var all []Object
	objects := b.blobs.List(&blob.ListOptions{Delimiter: "/"})
	for {
		object, err := objects.Next(ctx)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, b.failed("list", "", err)
		}
		if !object.IsDir && printable(object.Key) && wanted(object.Key) {
			all = append(all, Object{Name: object.Key, Bytes: object.Size})
		}
	}
}

// Open implements Depot.
func (b *bucket) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	r, err := b.blobs.NewReader(ctx, name, nil)
	if err != nil {
		return nil, b.failed("read", name, err)
	}
	return reader{r, b, name}, nil
}

// reader makes errors of the network those of a file.
type reader struct {
	*blob.Reader
	from *bucket
	name string
}

func (r reader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = r.from.failed("read", r.name, err)
	}
	return n, err
}

// WriteTo hides the method of the embedded reader, whose errors are others.
func (r reader) WriteTo(w io.Writer) (int64, error) { return io.Copy(w, struct{ io.Reader }{r}) }

// Write implements Depot.
func (b *bucket) Write(ctx context.Context, name string, fill func(io.Writer) error) (int64, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := b.blobs.NewWriter(ctx, name, &blob.WriterOptions{ContentType: "application/octet-stream", BufferSize: writeBuffer})
	if err != nil {
		return 0, b.failed("write", name, err)
	}
	counted := &counter{w: w}
	if err := fill(counted); err != nil {
		cancel() // so that Close discards the object
		_ = w.Close()
		return 0, err
	}
	if err := w.Close(); err != nil {
		return 0, b.failed("write", name, err)
	}
	return counted.n, nil
}

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// Delete implements Depot.
func (b *bucket) Delete(ctx context.Context, name string) error {
	if err := b.blobs.Delete(ctx, name); err != nil {
		return b.failed("delete", name, err)
	}
	return nil
}

// Locate implements Depot.
func (b *bucket) Locate(name string) string {
	at := b.at
	at.Path = path.Join("/", at.Path, name)
	return at.String()
}

// Close implements Depot.
func (b *bucket) Close() error { return b.blobs.Close() }

// failed makes an error of the driver one of a file.
func (b *bucket) failed(op, name string, err error) error {
	if gcerrors.Code(err) == gcerrors.NotFound {
		err = fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	return &fs.PathError{Op: op, Path: b.Locate(name), Err: err}
}
