package door

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestDoor(t *testing.T) {
	s := &Server{UsersDir: t.TempDir()}
	for name, content := range map[string]string{"username": "admin", "password": "secret"} {
		if err := os.WriteFile(filepath.Join(s.UsersDir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	server := s.guarded()
	ask := func(path string) int {
		r, w := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody), httptest.NewRecorder()
		r.SetBasicAuth("admin", "secret")
		server.ServeHTTP(w, r)
		return w.Code
	}
	t.Run("GLT-33 it lives before the time series are read, and is ready after", func(t *testing.T) {
		for path, want := range map[string]int{"/-/healthy": http.StatusOK, "/-/ready": http.StatusServiceUnavailable, "/api/v1/query": http.StatusServiceUnavailable} {
			if got := ask(path); got != want {
				t.Errorf("%s answers %d before", path, got)
			}
		}
		s.Open(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }))
		for _, path := range []string{"/-/healthy", "/-/ready", "/api/v1/query"} {
			if got := ask(path); got != http.StatusOK {
				t.Errorf("%s answers %d after", path, got)
			}
		}
	})
	t.Run("GLT-33 few questions are answered at a time, and some wait", func(t *testing.T) {
		entered, leave := make(chan struct{}), make(chan struct{})
		s.Open(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			entered <- struct{}{}
			<-leave
		}))
		answers := make(chan int)
		for range atOnce + waiting + 1 {
			go func() { answers <- ask("/api/v1/query") }()
		}
		for range atOnce {
			<-entered
		}
		if got := <-answers; got != http.StatusTooManyRequests {
			t.Errorf("one too many is answered with %d", got)
		}
		select {
		case <-entered:
			t.Error("more are answered at a time")
		case <-time.After(50 * time.Millisecond):
		}
		close(leave)
		for range waiting {
			<-entered
		}
		for range atOnce + waiting {
			if got := <-answers; got != http.StatusOK {
				t.Errorf("one that waited is answered with %d", got)
			}
		}
	})
	t.Run("GLT-33 whoever waits too long learns it", func(t *testing.T) {
		impatient := newTurns(1, 1, time.Millisecond)
		if !impatient.take(t.Context()) || impatient.take(t.Context()) {
			t.Error("the second had a turn, or the first had none")
		}
		impatient.giveBack()
		if !impatient.take(t.Context()) {
			t.Error("the place is not given back")
		}
	})
}
