package s3

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"gocloud.dev/blob/driver"
)

const (
	// leastPart is the least size of a part that is not the last one.
	leastPart = 5 << 20
	// mostParts is the maximum number of parts of an object.
	mostParts = 10000
	// abortTime bounds the removal of parts that are of no use.
	abortTime = 30 * time.Second
)

// NewTypedWriter implements driver.Bucket.
func (o *objects) NewTypedWriter(ctx context.Context, key, contentType string, options *driver.WriterOptions) (driver.Writer, error) {
	return &writer{ctx: ctx, client: o.client, key: key, contentType: contentType, size: max(options.BufferSize, leastPart)}, nil
}

// writer keeps one part in memory. An object that has one part only is written at once. Nothing is visible before Close succeeds.
type writer struct {
	ctx              context.Context // of the whole upload, as the interface wants it
	client           *client
	key, contentType string
	size             int
	buffer           []byte
	upload           string // its ID; empty before the first part
	parts            []part
	failed           error
}

type part struct {
	PartNumber int
	ETag       string
}

// Write implements io.Writer.
func (w *writer) Write(content []byte) (int, error) {
	written := 0
	for len(content) > 0 && w.failed == nil {
		if len(w.buffer) == w.size {
			w.failed = w.flush()
			continue
		}
		n := min(len(content), w.size-len(w.buffer))
		w.buffer, content, written = append(w.buffer, content[:n]...), content[n:], written+n
	}
	return written, w.failed
}

// flush stores the part in the buffer.
func (w *writer) flush() error {
	if w.upload == "" {
		var begun struct {
			ID string `xml:"UploadId"`
		}
		what := call{method: http.MethodPost, key: w.key, parameters: url.Values{"uploads": {""}}, header: w.header()}
		if _, err := w.client.answer(w.ctx, what, &begun); err != nil {
			return err
		}
		if begun.ID == "" {
			return errors.New("the object store names no upload")
		}
		w.upload = begun.ID
	}
	number := len(w.parts) + 1
	if number > mostParts {
		return fmt.Errorf("the object has more than %d parts", mostParts)
	}
	header, err := w.client.answer(w.ctx, call{
		method: http.MethodPut, key: w.key, body: w.buffer,
		parameters: url.Values{"partNumber": {strconv.Itoa(number)}, "uploadId": {w.upload}},
	}, nil)
	if err != nil {
		return err
	}
	w.parts, w.buffer = append(w.parts, part{number, header.Get("ETag")}), w.buffer[:0]
	return nil
}

func (w *writer) header() map[string]string {
	if w.contentType == "" {
		return nil
	}
	return map[string]string{"Content-Type": w.contentType}
}

// Close implements io.Closer. The object is discarded if the context has ended, or if something failed.
func (w *writer) Close() error {
	if w.failed == nil {
		w.failed = w.ctx.Err()
	}
	if w.failed == nil {
		w.failed = w.finish()
	}
	if w.failed != nil && w.upload != "" {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), abortTime)
		defer cancel()
		_, err := w.client.answer(ctx, call{method: http.MethodDelete, key: w.key, parameters: url.Values{"uploadId": {w.upload}}}, nil)
		return errors.Join(w.failed, err)
	}
	return w.failed
}

func (w *writer) finish() error {
	if w.upload == "" {
		_, err := w.client.answer(w.ctx, call{method: http.MethodPut, key: w.key, body: w.buffer, header: w.header()}, nil)
		return err
	}
	if len(w.buffer) > 0 {
		if err := w.flush(); err != nil {
			return err
		}
	}
	body, err := xml.Marshal(struct {
		XMLName xml.Name `xml:"CompleteMultipartUpload"`
		Parts   []part   `xml:"Part"`
	}{Parts: w.parts})
	if err != nil {
		return err
	}
	var done struct{ Key string }
	_, err = w.client.answer(w.ctx, call{method: http.MethodPost, key: w.key, parameters: url.Values{"uploadId": {w.upload}}, body: body}, &done)
	return err
}
