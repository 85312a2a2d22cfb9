package webhook

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestLimits(t *testing.T) {
	begun, end := make(chan struct{}), make(chan struct{})
	handler := Limits{AtOnce: 3, PerCaller: 2, Bytes: 8}.handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if r.URL.Path == "/slow" {
			begun <- struct{}{}
			<-end
		}
		w.WriteHeader(http.StatusTeapot)
	}))
	call := func(caller, path, body string, length int64) int {
		w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body))
		r.RemoteAddr, r.ContentLength = caller, length
		handler.ServeHTTP(w, r)
		return w.Code
	}
	answers := make(chan int)
	slow := func(caller string) {
		go func() { answers <- call(caller, "/slow", "x", 1) }()
		<-begun
	}
	slow("192.0.2.1:1")
	slow("192.0.2.1:2")
	t.Run("EXT-24 a caller with too many requests is refused at once", func(t *testing.T) {
		if code := call("192.0.2.1:3", "/", "x", 1); code != http.StatusTooManyRequests {
			t.Errorf("status %d", code)
		}
	})
	t.Run("EXT-24 another caller is answered meanwhile", func(t *testing.T) {
		if code := call("192.0.2.2:1", "/", "x", 1); code != http.StatusTeapot {
			t.Errorf("status %d", code)
		}
	})
	slow("192.0.2.2:1")
	t.Run("EXT-24 all callers together are bounded", func(t *testing.T) {
		if code := call("192.0.2.3:1", "/", "x", 1); code != http.StatusTooManyRequests {
			t.Errorf("status %d", code)
		}
	})
	close(end)
	for range 3 {
		if code := <-answers; code != http.StatusTeapot {
			t.Errorf("status %d", code)
		}
	}
	t.Run("EXT-24 a caller is answered again after its requests", func(t *testing.T) {
		for range 3 {
			if code := call("192.0.2.1:3", "/", "12345678", 8); code != http.StatusTeapot {
				t.Errorf("status %d", code)
			}
		}
	})
	t.Run("EXT-24 a large request is not read", func(t *testing.T) {
		if code := call("192.0.2.1:3", "/", "123456789", 9); code != http.StatusRequestEntityTooLarge {
			t.Errorf("status %d", code)
		}
		if code := call("192.0.2.1:3", "/", "123456789", -1); code != http.StatusBadRequest {
			t.Errorf("status %d of a request of unknown size", code)
		}
	})
}
