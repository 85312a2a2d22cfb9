package webhook

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// asked is one request to a server. Its answer takes a minute, unless it is refused.
type asked struct {
	caller, body string
	unknown      bool // size
	want         int
	after        time.Duration // the answer
}

func TestLimits(t *testing.T) {
	const served, refused = http.StatusTeapot, http.StatusTooManyRequests
	one := func(want int, after time.Duration) asked {
		return asked{caller: "192.0.2.1:1", body: "x", want: want, after: after}
	}
	from := func(caller string, a asked) asked {
		a.caller = caller
		return a
	}
	for name, tc := range map[string]struct {
		limits Limits
		asked  []asked // one second after the other
	}{
		"a caller with too many requests is refused at once, and another caller is answered": {
			Limits{AtOnce: 3, PerCaller: 2},
			[]asked{one(served, time.Minute), one(served, time.Minute), one(refused, 0), from("192.0.2.2:1", one(served, time.Minute)), from("192.0.2.3:1", one(refused, 0))},
		},
		"few requests wait for their turn": {
			Limits{AtOnce: 1, PerCaller: 1, Waiting: 1, Patience: 2 * time.Minute},
			[]asked{one(served, time.Minute), one(served, 2*time.Minute-time.Second), one(refused, 0)},
		},
		"they wait for a short time": {
			Limits{AtOnce: 1, PerCaller: 1, Waiting: 1, Patience: time.Second / 2},
			[]asked{one(served, time.Minute), one(refused, time.Second/2), one(refused, time.Second/2)},
		},
		"a large request is not read": {
			Limits{AtOnce: 3, PerCaller: 3},
			[]asked{
				{caller: "192.0.2.1:1", body: "12345678", want: served, after: time.Minute},
				{caller: "192.0.2.1:1", body: "123456789", want: http.StatusRequestEntityTooLarge},
				{caller: "192.0.2.1:1", body: "123456789", unknown: true, want: http.StatusBadRequest},
			},
		},
	} {
		t.Run("EXT-24 "+name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tc.limits.Bytes = 8
				handler := tc.limits.handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if _, err := io.ReadAll(r.Body); err != nil {
						w.WriteHeader(http.StatusBadRequest)
						return
					}
					time.Sleep(time.Minute)
					w.WriteHeader(served)
				}))
				// the last one is asked again when all others have been answered
				for i, a := range append(slices.Clone(tc.asked), one(served, time.Minute)) {
					if i == len(tc.asked) {
						time.Sleep(time.Hour)
					}
					go func() {
						begin, w := time.Now(), httptest.NewRecorder()
						r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(a.body))
						if r.RemoteAddr = a.caller; a.unknown {
							r.ContentLength = -1
						}
						handler.ServeHTTP(w, r)
						if took := time.Since(begin); w.Code != a.want || took != a.after {
							t.Errorf("request %d has status %d after %v, want %d after %v", i, w.Code, took, a.want, a.after)
						}
					}()
					time.Sleep(time.Second)
				}
				time.Sleep(time.Hour)
			})
		})
	}
}
