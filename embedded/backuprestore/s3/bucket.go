package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/blob/driver"
	"gocloud.dev/gcerrors"
)

// Open opens a bucket. It does not reach it before the first use. It reads the credentials before each request.
func Open(bucket string, credentials func() (Credentials, error)) (*blob.Bucket, error) {
	return OpenWith(bucket, func() (Access, error) {
		now, err := credentials()
		if err != nil {
			return Access{}, err
		}
		return now.access()
	})
}

// OpenWith opens a bucket as Open does, in an object store that knows its users by something else than the signatures of S3.
func OpenWith(bucket string, access func() (Access, error)) (*blob.Bucket, error) {
	c, err := newClient(bucket, access)
	if err != nil {
		return nil, err
	}
	return blob.NewBucket(&objects{c}), nil
}

// objects implements driver.Bucket.
type objects struct{ *client }

var errUnsupported = errors.New("the driver cannot do that")

// ErrorCode implements driver.Bucket.
func (o *objects) ErrorCode(err error) gcerrors.ErrorCode {
	var refused *failure
	switch {
	case errors.Is(err, errUnsupported):
		return gcerrors.Unimplemented
	case errors.Is(err, context.Canceled):
		return gcerrors.Canceled
	case errors.Is(err, context.DeadlineExceeded):
		return gcerrors.DeadlineExceeded
	case !errors.As(err, &refused):
		return gcerrors.Unknown
	}
	switch refused.Status {
	case http.StatusNotFound:
		return gcerrors.NotFound
	case http.StatusUnauthorized, http.StatusForbidden:
		return gcerrors.PermissionDenied
	case http.StatusPreconditionFailed:
		return gcerrors.FailedPrecondition
	case http.StatusTooManyRequests:
		return gcerrors.ResourceExhausted
	}
	return gcerrors.Unknown
}

// As implements driver.Bucket.
func (o *objects) As(any) bool { return false }

// ErrorAs implements driver.Bucket.
func (o *objects) ErrorAs(error, any) bool { return false }

// Copy implements driver.Bucket.
func (o *objects) Copy(context.Context, string, string, *driver.CopyOptions) error {
	return errUnsupported
}

// SignedURL implements driver.Bucket.
func (o *objects) SignedURL(context.Context, string, *driver.SignedURLOptions) (string, error) {
	return "", errUnsupported
}

// Close implements driver.Bucket.
func (o *objects) Close() error {
	o.http.CloseIdleConnections()
	return nil
}

// Delete implements driver.Bucket. An object that does not exist is no error, as in S3.
func (o *objects) Delete(ctx context.Context, key string) error {
	_, err := o.answer(ctx, call{method: http.MethodDelete, key: key}, nil)
	return err
}

// Attributes implements driver.Bucket.
func (o *objects) Attributes(ctx context.Context, key string) (*driver.Attributes, error) {
	header, err := o.answer(ctx, call{method: http.MethodHead, key: key}, nil)
	if err != nil {
		return nil, err
	}
	size, err := strconv.ParseInt(header.Get("Content-Length"), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("size of the object: %w", err)
	}
	modified, _ := http.ParseTime(header.Get("Last-Modified"))
	return &driver.Attributes{
		ContentType: header.Get("Content-Type"), ETag: header.Get("ETag"), Size: size, ModTime: modified, AsFunc: func(any) bool { return false },
	}, nil
}

// listing is the answer to version 2 of the request.
type listing struct {
	Contents []struct {
		Key          string
		Size         int64
		LastModified time.Time
	}
	CommonPrefixes        []struct{ Prefix string }
	NextContinuationToken string
	IsTruncated           bool
}

// ListPaged implements driver.Bucket.
func (o *objects) ListPaged(ctx context.Context, options *driver.ListOptions) (*driver.ListPage, error) {
	parameters := url.Values{"list-type": {"2"}}
	set := func(name, value string) {
		if value != "" {
			parameters.Set(name, value)
		}
	}
	set("prefix", options.Prefix)
	set("delimiter", options.Delimiter)
	set("continuation-token", string(options.PageToken))
	if options.PageSize > 0 {
		set("max-keys", strconv.Itoa(options.PageSize))
	}
	found := listing{}
	if _, err := o.answer(ctx, call{method: http.MethodGet, parameters: parameters}, &found); err != nil {
		return nil, err
	}
	page := &driver.ListPage{}
	none := func(any) bool { return false }
	for _, object := range found.Contents {
		page.Objects = append(page.Objects, &driver.ListObject{Key: object.Key, Size: object.Size, ModTime: object.LastModified, AsFunc: none})
	}
	for _, dir := range found.CommonPrefixes {
		page.Objects = append(page.Objects, &driver.ListObject{Key: dir.Prefix, IsDir: true, AsFunc: none})
	}
	if found.IsTruncated {
		page.NextPageToken = []byte(found.NextContinuationToken)
	}
	return page, nil
}

// NewRangeReader implements driver.Bucket.
func (o *objects) NewRangeReader(ctx context.Context, key string, offset, length int64, _ *driver.ReaderOptions) (driver.Reader, error) {
	if length == 0 {
		attributes, err := o.Attributes(ctx, key)
		if err != nil {
			return nil, err
		}
		return &reader{http.NoBody, driver.ReaderAttributes{ContentType: attributes.ContentType, ModTime: attributes.ModTime, Size: attributes.Size}}, nil
	}
	what := call{method: http.MethodGet, key: key}
	switch {
	case length > 0:
		what.header = map[string]string{"Range": fmt.Sprintf("bytes=%d-%d", offset, offset+length-1)}
	case offset > 0:
		what.header = map[string]string{"Range": fmt.Sprintf("bytes=%d-", offset)}
	}
	response, err := o.do(ctx, what)
	if err != nil {
		return nil, err
	}
	modified, _ := http.ParseTime(response.Header.Get("Last-Modified"))
	return &reader{response.Body, driver.ReaderAttributes{ContentType: response.Header.Get("Content-Type"), ModTime: modified, Size: sizeOf(response)}}, nil
}

// sizeOf is the size of the whole object, also in an answer with a part of it.
func sizeOf(response *http.Response) int64 {
	if _, total, found := strings.Cut(response.Header.Get("Content-Range"), "/"); found {
		if size, err := strconv.ParseInt(total, 10, 64); err == nil {
			return size
		}
	}
	return response.ContentLength
}

// reader is the body of an answer.
type reader struct {
	io.ReadCloser
	attributes driver.ReaderAttributes
}

// Attributes implements driver.Reader.
func (r *reader) Attributes() *driver.ReaderAttributes { return &r.attributes }

// As implements driver.Reader.
func (r *reader) As(any) bool { return false }
