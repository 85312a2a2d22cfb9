package federation

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var errBoom = errors.New("boom")

// fake is a target that serves a text.
func fake(cluster, job, text string) Target {
	return Target{Cluster: cluster, Job: job, Instance: "one", Gather: func(context.Context) (Families, error) { return Parse(strings.NewReader(text), 1<<20) }}
}

func limits() Limits {
	return Limits{Target: time.Minute, Whole: time.Minute, Fresh: time.Hour, Concurrent: 1, Bytes: 1 << 20, Cluster: 1 << 20}
}

func ask(t *testing.T, l Limits, wanted Names, targets ...Target) string {
	t.Helper()
	var out bytes.Buffer
	if err := New(l).Ask(t.Context(), targets).Write(&out, wanted); err != nil {
		t.Fatal(err)
	}
	if _, err := Parse(bytes.NewReader(out.Bytes()), 1<<20); err != nil {
		t.Errorf("the answer cannot be read: %v\n%s", err, out.String())
	}
	return out.String()
}

func TestWhatIsServed(t *testing.T) {
	for name, tc := range map[string]struct {
		targets []Target
		want    string
	}{
		"GLT-33 a family of several targets is described once, and labels tell them apart": {
			targets: []Target{
				fake("garden", "a", "# HELP x Some.\n# TYPE x counter\nx{code=\"200\"} 1\n"), fake("seed/s", "a", "# HELP x Some.\n# TYPE x counter\nx 2\n"),
			},
			want: "# HELP x Some.\n# TYPE x counter\nx{cluster=\"garden\",instance=\"one\",job=\"a\",code=\"200\"} 1\nx{cluster=\"seed/s\",instance=\"one\",job=\"a\"} 2\n",
		},
		"labels of a server do not replace ours, whatever they are": {
			targets: []Target{fake("shoot/n/s", "a", "# TYPE x gauge\nx{cluster=\"garden\",exported_cluster=\"b\",job=\"c\"} 1\n")},
			want:    "# TYPE x gauge\nx{cluster=\"shoot/n/s\",instance=\"one\",job=\"a\",exported_exported_cluster=\"garden\",exported_cluster=\"b\",exported_job=\"c\"} 1\n",
		},
		"targets that do not agree on a type make the family untyped": {
			targets: []Target{fake("garden", "a", "# TYPE x counter\nx 1\n"), fake("seed/s", "a", "# TYPE x gauge\nx 2\n")},
			want:    "# TYPE x untyped\nx{cluster=\"garden\",instance=\"one\",job=\"a\"} 1\nx{cluster=\"seed/s\",instance=\"one\",job=\"a\"} 2\n",
		},
		"histograms stay whole": {
			targets: []Target{fake("garden", "a", "# TYPE h histogram\nh_bucket{le=\"1\"} 1\nh_bucket{le=\"+Inf\"} 2\nh_sum 3\nh_count 2\n")},
			want: "# TYPE h histogram\nh_bucket{cluster=\"garden\",instance=\"one\",job=\"a\",le=\"1\"} 1\nh_bucket{cluster=\"garden\",instance=\"one\",job=\"a\",le=\"+Inf\"} 2\n" +
				"h_sum{cluster=\"garden\",instance=\"one\",job=\"a\"} 3\nh_count{cluster=\"garden\",instance=\"one\",job=\"a\"} 2\n",
		},
		"nobody else serves up": {targets: []Target{fake("garden", "a", "# TYPE up gauge\nup{cluster=\"other\"} 1\n")}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, ask(t, limits(), Names{"x", "h"}, tc.targets...)); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTargetsThatAreDown(t *testing.T) {
	broken := Target{Cluster: "seed/s", Job: "b", Instance: "two", Gather: func(context.Context) (Families, error) { return nil, errors.New("no\nway") }}
	good := fake("garden", "a", "# TYPE x counter\nx 1\n")
	t.Run("GLT-33 a server that does not answer is down, and the others are served", func(t *testing.T) {
		got := ask(t, limits(), Names{"x", Up}, broken, good)
		for _, want := range []string{
			"x{cluster=\"garden\",instance=\"one\",job=\"a\"} 1\n", "up{cluster=\"garden\",instance=\"one\",job=\"a\"} 1\n", "up{cluster=\"seed/s\",instance=\"two\",job=\"b\"} 0\n",
			"# down: seed/s b two: \"no\\nway\"\n",
		} {
			if !strings.Contains(got, want) {
				t.Errorf("the answer lacks %q:\n%s", want, got)
			}
		}
	})
	t.Run("a server without an end is down when the time is over", func(t *testing.T) {
		hangs := Target{Cluster: "seed/s", Job: "b", Instance: "two", Gather: func(ctx context.Context) (Families, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		short := limits()
		short.Target = time.Millisecond
		if got := ask(t, short, Names{Up}, hangs, good); !strings.Contains(got, "job=\"b\"} 0\n") || !strings.Contains(got, "job=\"a\"} 1\n") {
			t.Errorf("the answer is\n%s", got)
		}
	})
	t.Run("answers have a size, and a server for which there is no room is down", func(t *testing.T) {
		long := fake("shoot/n/s", "b", strings.Repeat("x 1\n", 10))
		for name, bound := range map[string]func(*Limits){"of all": func(l *Limits) { l.Bytes = 300 }, "of a cluster": func(l *Limits) { l.Cluster = 300 }} {
			small := limits()
			bound(&small)
			f := New(small)
			var text bytes.Buffer
			if err := f.Ask(t.Context(), []Target{good, long}).Write(&text, nil); err != nil {
				t.Fatal(err)
			}
			if got := text.String(); !strings.Contains(got, "job=\"a\"} 1\n") || !strings.Contains(got, "job=\"b\"} 0\n") || !strings.Contains(got, errFull.Error()) {
				t.Errorf("%s: the answer is\n%s", name, got)
			}
		}
	})
	t.Run("an answer that is forgotten makes room", func(t *testing.T) {
		k := newKept(limits())
		entry := k.of(good, func() scraped { return scraped{chunks: map[string]chunk{"x": {text: []byte("x 1\n")}}} })
		entry.wait(t.Context())
		if k.forget(good, entry); k.bytes != 0 || len(k.clusters) != 0 || len(k.entries) != 0 {
			t.Errorf("%d bytes are kept, %v", k.bytes, k.clusters)
		}
	})
	t.Run("a server with too long an answer is down", func(t *testing.T) {
		if _, err := Parse(strings.NewReader(strings.Repeat("x 1\n", 100)), 100); err == nil || !strings.Contains(err.Error(), "longer") {
			t.Errorf("error is %v", err)
		}
	})
}

func TestAnswersAreKept(t *testing.T) {
	var asked atomic.Int32
	f := New(limits())
	target := Target{Cluster: "garden", Job: "a", Instance: "one", Gather: func(context.Context) (Families, error) {
		asked.Add(1)
		return Families{}, nil
	}}
	f.Ask(t.Context(), []Target{target})
	f.Ask(t.Context(), []Target{target, target})
	if asked.Load() != 1 {
		t.Errorf("asked %d times, want once", asked.Load())
	}
}

func TestHTTP(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirection was followed") }))
	defer elsewhere.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/metrics":
			_, _ = w.Write([]byte("x 1\n"))
		case "/away":
			http.Redirect(w, r, elsewhere.URL, http.StatusFound)
		}
	}))
	defer server.Close()
	families, err := HTTP(server.Client(), server.URL+"/metrics", Longest)(t.Context())
	if err != nil || families["x"] == nil {
		t.Errorf("got %v, %v", families, err)
	}
	if _, err := HTTP(server.Client(), server.URL+"/away", Longest)(t.Context()); err == nil {
		t.Error("a redirection is no error")
	}
}
