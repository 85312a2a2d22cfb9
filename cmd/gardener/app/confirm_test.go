package app

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestConfirmations(t *testing.T) {
	for name, tc := range map[string]struct {
		typed string
		code  int
		want  string
	}{
		"y goes on":                        {"y\n", codeOK, ""},
		"yes goes on":                      {" YES \n", codeOK, ""},
		"everything else changes nothing":  {"\n", codeUsage, "error: nothing was changed (GRD-200)\nhint:  it goes on after the answer y, or with --yes\n"},
		"the end of input changes nothing": {"", codeUsage, "error: nothing was changed (GRD-200)\nhint:  it goes on after the answer y, or with --yes\n"},
	} {
		t.Run("APP-35 "+name, func(t *testing.T) {
			var screen, out bytes.Buffer
			if code := report(ask(t.Context(), bytes.NewBufferString(tc.typed), &screen, "this destroys it"), newDisplay(), &out); code != tc.code {
				t.Errorf("exit code %d, want %d", code, tc.code)
			}
			if ended := strings.HasSuffix(screen.String(), "\n"); ended != (tc.typed == "") { // a terminal shows the end of the line that is typed
				t.Errorf("the screen shows %q", screen.String())
			}
			if diff := cmp.Diff(tc.want, out.String()); diff != "" {
				t.Errorf("printed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestInterruptedConfirmation(t *testing.T) {
	t.Run("APP-35 Ctrl-C at the question ends the command", func(t *testing.T) {
		silent, end := io.Pipe()
		defer end.Close()
		ctx, interrupt := context.WithCancel(t.Context())
		var screen, out bytes.Buffer
		answered := make(chan error, 1)
		interrupt()
		go func() { answered <- ask(ctx, silent, &screen, "this destroys it") }()
		select {
		case err := <-answered:
			if code := report(err, newDisplay(), &out); code != codeInterrupted {
				t.Errorf("exit code %d", code)
			}
			if diff := cmp.Diff("This destroys it. Go on? [y/N] \ninterrupted\nhint:  nothing was changed\n", screen.String()+out.String()); diff != "" {
				t.Errorf("printed (-want +got):\n%s", diff)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("it still waits for an answer")
		}
	})
}
