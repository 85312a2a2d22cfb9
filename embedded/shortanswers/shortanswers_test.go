package shortanswers_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/embedded/shortanswers"
)

func TestOnly(t *testing.T) {
	const long = shortanswers.Longest + 1
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		chunk, left := make([]byte, 1<<20), long
		if r.URL.Path == "/short" {
			left = shortanswers.Longest
		}
		for left > 0 {
			n, err := w.Write(chunk[:min(left, len(chunk))])
			if err != nil {
				return
			}
			left -= n
		}
	}))
	t.Cleanup(server.Close)
	client, err := rest.HTTPClientFor(shortanswers.Only(&rest.Config{Host: server.URL}))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		path string
		want int64
		err  error
	}{
		"an answer of the longest length is read": {"/short", shortanswers.Longest, nil},
		"a longer one is not":                     {"/long", 0, shortanswers.ErrLong},
		"a watch may last":                        {"/long?watch=true", long, nil},
	} {
		t.Run(name, func(t *testing.T) {
			answer, err := client.Get(server.URL + tc.path)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = answer.Body.Close() }()
			n, err := io.Copy(io.Discard, answer.Body)
			if !errors.Is(err, tc.err) || tc.err == nil && n != tc.want {
				t.Errorf("read %d bytes, error %v", n, err)
			}
		})
	}
}
