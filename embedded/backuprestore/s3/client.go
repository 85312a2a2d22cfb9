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
	// credentials are read for each request, so that a rotation needs no restart.
	credentials func() (Credentials, error)
	http        *http.Client
}

func newClient(bucket string, credentials func() (Credentials, error)) (*client, error) {
	now, err := credentials()
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
	return &client{bucket: bucket, credentials: credentials, http: &http.Client{
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

func (f *failure) passes() bool {
	return f.Status >= http.StatusInternalServerError || f.Status == http.StatusTooManyRequests || f.Status == http.StatusRequestTimeout
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
		var refused *failure
		if err == nil || errors.As(err, &refused) && !refused.passes() || attempt == attempts || ctx.Err() != nil {
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
	credentials, err := c.credentials()
	if err != nil {
		return nil, err
	}
	target, err := c.url(credentials, what.key, what.parameters)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, what.method, "", bytes.NewReader(what.body))
	if err != nil {
		return nil, err
	}
	request.URL, request.Host = target, target.Host
	for name, value := range what.header {
		request.Header.Set(name, value)
	}
	sign(request, credentials, sum(what.body), time.Now())
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

func (c *client) url(credentials Credentials, key string, parameters url.Values) (*url.URL, error) {
	base, err := credentials.base()
	if err != nil {
		return nil, err
	}
	path := "/" + key
	if credentials.PathStyle {
		path = "/" + c.bucket + path
	} else {
		base.Host = c.bucket + "." + base.Host
	}
	base.Path, base.RawPath, base.RawQuery = path, escape(path, true), query(parameters)
	return base, nil
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
