package s3

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

const (
	// attempts of a request that fails for reasons that may pass, with pauses that double.
	attempts   = 5
	firstPause = 200 * time.Millisecond
	// answerTime bounds the wait for the beginning of an answer.
	answerTime = time.Minute
	// answerSize bounds answers that are no snapshots.
	answerSize = 16 << 20
)

// client asks for the objects of one bucket.
type client struct {
	bucket string
	// access is asked for before each request, so that new credentials need no restart.
	access func() (Access, error)
	http   *http.Client
}

func newClient(bucket string, access func() (Access, error)) (*client, error) {
	now, err := access()
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = answerTime
	transport.DisableCompression = true // snapshots are stored as they are
	if len(now.CA) > 0 {
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(now.CA) {
			return nil, errors.New("trustedCaCert of the store has no certificate")
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	return &client{bucket: bucket, access: access, http: &http.Client{
		Transport: transport,
		// A signature is for one host only.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// failure is the answer of an object store that refuses a request.
type failure struct {
	Status  int    `xml:"-"`
	Code    string `xml:"Code"`
	Message string `xml:"Message"`
}

func (f *failure) Error() string {
	return fmt.Sprintf("the object store answers %d %s: %s", f.Status, f.Code, f.Message)
}

// Final reports whether the same request will be refused again.
func (f *failure) Final() bool {
	return f.Status < http.StatusInternalServerError && f.Status != http.StatusTooManyRequests && f.Status != http.StatusRequestTimeout
}

// call is a request for a key, or for the bucket if the key is empty.
type call struct {
	method, key string
	parameters  url.Values
	header      map[string]string
	body        []byte
}

// do asks until there is an answer that is final. The caller closes its body.
func (c *client) do(ctx context.Context, what call) (*http.Response, error) {
	pause := firstPause
	for attempt := 1; ; attempt++ {
		response, err := c.once(ctx, what)
		var refused interface{ Final() bool }
		if err == nil || errors.As(err, &refused) && refused.Final() || attempt == attempts || ctx.Err() != nil {
			return response, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
			pause *= 2
		}
	}
}

func (c *client) once(ctx context.Context, what call) (*http.Response, error) {
	access, err := c.access()
	if err != nil {
		return nil, err
	}
	target := c.url(access, what.key, what.parameters)
	request, err := http.NewRequestWithContext(ctx, what.method, "", bytes.NewReader(what.body))
	if err != nil {
		return nil, err
	}
	request.URL, request.Host = target, target.Host
	for name, value := range what.header {
		request.Header.Set(name, value)
	}
	if err := access.Authorize(request, what.body); err != nil {
		return nil, err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode < http.StatusMultipleChoices {
		return response, nil
	}
	defer response.Body.Close()
	return nil, refusal(response)
}

func refusal(response *http.Response) *failure {
	out := &failure{}
	content, _ := io.ReadAll(io.LimitReader(response.Body, 64<<10))
	_ = xml.Unmarshal(content, out) // the status says enough if there is no text
	out.Status = response.StatusCode
	return out
}

func (c *client) url(access Access, key string, parameters url.Values) *url.URL {
	base, path := *access.Base, "/"+key
	if access.PathStyle {
		path = "/" + c.bucket + path
	} else {
		base.Host = c.bucket + "." + base.Host
	}
	base.Path, base.RawPath, base.RawQuery = path, escape(path, true), query(parameters)
	return &base
}

// answer asks, and decodes the XML of the answer; into may be nil.
func (c *client) answer(ctx context.Context, what call, into any) (http.Header, error) {
	response, err := c.do(ctx, what)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(io.LimitReader(response.Body, answerSize))
	if err != nil {
		return nil, err
	}
	if into == nil {
		return response.Header, nil
	}
	// An object store that works for long begins to answer before it knows the result.
	refused := &failure{}
	var root struct{ XMLName xml.Name }
	if xml.Unmarshal(content, &root) == nil && root.XMLName.Local == "Error" && xml.Unmarshal(content, refused) == nil {
		refused.Status = http.StatusInternalServerError
		return nil, refused
	}
	if err := xml.Unmarshal(content, into); err != nil {
		return nil, fmt.Errorf("answer of the object store: %w", err)
	}
	return response.Header, nil
}
