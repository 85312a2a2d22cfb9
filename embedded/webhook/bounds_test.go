package webhook

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestBounded(t *testing.T) {
	begun, end := make(chan struct{}), make(chan struct{})
	handler := bounded(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		begun <- struct{}{}
		<-end
		w.WriteHeader(http.StatusTeapot)
	}), 1)
	call := func(ctx context.Context) chan int {
		code := make(chan int, 1)
		go func() {
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader("x")))
			code <- w.Code
		}()
		return code
	}
	first := call(t.Context())
	<-begun
	ctx, cancel := context.WithCancel(t.Context())
	impatient, patient := call(ctx), call(t.Context())
	cancel()
	if code := <-impatient; code == http.StatusTeapot {
		t.Error("a second request is answered beside the first")
	}
	close(end)
	<-begun
	for _, answer := range []chan int{first, patient} {
		if code := <-answer; code != http.StatusTeapot {
			t.Errorf("answer %d", code)
		}
	}
}
