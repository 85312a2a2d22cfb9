package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/gardener-up/gardener-up/appliance/component"
)

// Client sends requests to a running daemon.
type Client struct{ http http.Client }

// NewClient returns a client for the socket without connecting to it.
func NewClient(socket string) *Client {
	return &Client{http: http.Client{Transport: &http.Transport{
		DialContext: func(context.Context, string, string) (net.Conn, error) { return dial(socket) },
	}}}
}

// Report asks for the present state.
func (c *Client) Report(ctx context.Context) (*Report, error) {
	var last *Report
	err := c.stream(ctx, "/report", func(r *Report) bool { last = r; return false })
	return last, err
}

// Watch calls see on every change until see returns false, the daemon ends or ctx ends.
func (c *Client) Watch(ctx context.Context, see func(*Report) bool) error {
	return c.stream(ctx, "/watch", see)
}

// Stop asks the daemon to end and does not wait for its end.
func (c *Client) Stop(ctx context.Context) error {
	return c.do(ctx, http.MethodPost, "/stop", nil)
}

// StopPart ends one part of the landscape. The error is component.ErrUnknownPart if there is no such part.
func (c *Client) StopPart(ctx context.Context, name string) error { return c.part(ctx, name, "stop") }

// StartPart starts a part again that StopPart has ended. It does not wait until the part is ready.
func (c *Client) StartPart(ctx context.Context, name string) error { return c.part(ctx, name, "start") }

func (c *Client) part(ctx context.Context, name, verb string) error {
	found, err := c.order(ctx, http.MethodPost, "/parts/"+url.PathEscape(name)+"/"+verb, nil)
	if !found {
		return fmt.Errorf("%s part %q: %w", verb, name, component.ErrUnknownPart)
	}
	if err != nil {
		return fmt.Errorf("%s part: %w", verb, err)
	}
	return nil
}

// order sends one order. found is false if the part or seed in the order does not exist.
func (c *Client) order(ctx context.Context, method, path string, body io.Reader) (found bool, _ error) {
	return c.ask(ctx, method, path, body, func(io.Reader) error { return nil })
}

// ask sends one order and reads what the daemon answers to a good one. found is that of order.
func (c *Client) ask(ctx context.Context, method, path string, body io.Reader, read func(io.Reader) error) (found bool, _ error) {
	request, err := http.NewRequestWithContext(ctx, method, "http://gardener"+path, body)
	if err != nil {
		return true, err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return true, err
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusOK {
		return true, read(response.Body)
	}
	reason, err := io.ReadAll(io.LimitReader(response.Body, 1<<12))
	if err == nil {
		err = errors.New(strings.TrimSpace(string(reason)))
	}
	return response.StatusCode != http.StatusNotFound, err
}

// Stacks writes what the goroutines of the daemon do, without the values that they work with.
func (c *Client) Stacks(ctx context.Context, w io.Writer) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://gardener/debug/pprof/goroutine?debug=1", nil)
	if err != nil {
		return err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.Copy(w, response.Body)
	return err
}

func (c *Client) stream(ctx context.Context, path string, see func(*Report) bool) error {
	return c.do(ctx, http.MethodGet, path, func(decoder *json.Decoder) error {
		for {
			report := &Report{}
			if err := decoder.Decode(report); err != nil {
				return err
			}
			if !see(report) {
				return nil
			}
		}
	})
}

func (c *Client) do(ctx context.Context, method, path string, read func(*json.Decoder) error) error {
	request, err := http.NewRequestWithContext(ctx, method, "http://gardener"+path, nil)
	if err != nil {
		return err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		return errors.New("the daemon answered " + response.Status)
	}
	if read == nil {
		return nil
	}
	return read(json.NewDecoder(response.Body))
}
