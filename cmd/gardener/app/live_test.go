package app

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/gardener-up/gardener-up/appliance/component"
)

func TestLive(t *testing.T) {
	for name, tc := range map[string]struct {
		text  string
		width int
		want  string
	}{
		"a text that fits is shown as it is":                  {"garden API, node", 80, "  ⠙ garden API, node  0s"},
		"a text that does not fit is cut, never the duration": {"garden API, node", 22, "  ⠙ garden API…  0s"},
		"a window of a few columns shows what goes round":     {"garden API, node", 5, "  ⠙   0s"},
	} {
		t.Run(name, func(t *testing.T) {
			var screen strings.Builder
			l := newLive(newDisplay(), &screen)
			l.width = func() int { return tc.width }
			l.draw(tc.text)
			got := strings.TrimSuffix(strings.TrimPrefix(screen.String(), "\r"), "\x1b[K")
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if tc.width > 10 && utf8.RuneCountInString(got) > tc.width-3 {
				t.Errorf("%q leaves no room in a line of %d columns", got, tc.width)
			}
		})
	}
	t.Run("elsewhere than on a terminal nothing is drawn", func(t *testing.T) {
		var file strings.Builder
		l := newLive(newDisplay(), &file)
		l.draw("text")
		l.clear()
		if file.Len() > 0 {
			t.Errorf("drawn: %q", file.String())
		}
	})
	t.Run("an interrupted wait ends at once", func(t *testing.T) {
		interrupted, release := make(chan struct{}), make(chan struct{})
		defer close(release)
		close(interrupted)
		if newLive(newDisplay(), &strings.Builder{}).during("waiting", interrupted, func() { <-release }) {
			t.Error("it says that the work is done")
		}
	})
}

func TestProgress(t *testing.T) {
	var screen strings.Builder
	p := newProgress(newDisplay(), &screen)
	ready := component.Status{Title: "etcd", State: component.Ready, Took: 2 * time.Second}
	starting := component.Status{Title: "garden API", State: component.Starting}
	for range 2 { // a step is printed once
		p.show([]component.Status{ready, starting})
	}
	if want := "  ✓ etcd                 2.0s\n"; screen.String() != want {
		t.Errorf("printed %q, want %q", screen.String(), want)
	}
}

func TestShootProgress(t *testing.T) {
	var out strings.Builder
	p := &shootProgress{w: &out, live: newLive(newDisplay(), &out)}
	for range 2 {
		p.show(shootStatus{Operation: "Create Error (19%)", Doing: "Deploying", Errors: []string{"no quota"}})
	}
	if want := "  Create Error (19%)  Deploying\n    no quota\n"; out.String() != want {
		t.Errorf("without a terminal %q, want %q", out.String(), want)
	}
	out.Reset()
	p = &shootProgress{w: &out, live: newLive(newDisplay(), &out)}
	p.live.width = func() int { return 80 }
	p.show(shootStatus{Operation: "Create Processing (19%)", Doing: "Deploying"})
	if strings.Contains(out.String(), "\n") {
		t.Errorf("on a terminal %q, want one line that is replaced", out.String())
	}
	p.show(shootStatus{Operation: "Create Error (19%)", Doing: "Deploying", Errors: []string{"no quota"}})
	if !strings.Contains(out.String(), "\r\x1b[K    no quota\n") {
		t.Errorf("on a terminal %q, want the error to stay", out.String())
	}
}
