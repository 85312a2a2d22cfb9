package app

import (
	"bytes"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

func TestTextsTakeColumns(t *testing.T) {
	for name, tc := range map[string]struct {
		text  string
		room  int
		width int
		want  string
	}{
		"letters":                  {"größe", 3, 5, "gr…"},
		"wide characters":          {"大きい", 5, 6, "大き…"},
		"no half of a character":   {"大きい", 4, 6, "大…"},
		"marks take none":          {"e\u0301e\u0301e\u0301", 2, 3, "e\u0301…"},
		"what fits stays":          {"大", 2, 2, "大"},
		"there is no room":         {"大", 0, 2, ""},
		"colours take none":        {tinted(red, "bad"), 3, 3, tinted(red, "bad")},
		"there is room for a sign": {"abc", 1, 3, "…"},
	} {
		t.Run("APP-35 "+name, func(t *testing.T) {
			if got := width(tc.text); got != tc.width {
				t.Errorf("%q takes %d columns, not %d", tc.text, got, tc.width)
			}
			if diff := cmp.Diff(tc.want, shorten(tc.text, tc.room)); diff != "" {
				t.Errorf("shortened (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTablesFitTerminals(t *testing.T) {
	rows := [][]string{
		{"kubeconfig", "/a/path/that/somebody/copies/from/this/line"}, nil,
		{"PART", "STATE", "MESSAGE"}, {"etcd", "Ready", "short"}, {"gardenlet", "Ready", "a message with so many words\nthat nobody reads them"}, {"大", "BackOff", tinted(yellow, "warning: this is another message of many words")},
	}
	const (
		facts = "kubeconfig   /a/path/that/somebody/copies/from/this/line\n\n"
		cut   = facts + "PART        STATE     MESSAGE\netcd        Ready     short\ngardenlet   Ready     a message with so m…\n大          BackOff   \x1b[33mwarning: this is an…\x1b[0m\n"
		whole = facts + "PART        STATE     MESSAGE\netcd        Ready     short\ngardenlet   Ready     a message with so many words that nobody reads them\n大          BackOff   \x1b[33mwarning: this is another message of many words\x1b[0m\n"
	)
	for name, tc := range map[string]struct {
		room int
		want string
	}{"a terminal": {42, cut}, "a terminal with no room for the message": {10, cut}, "a wide terminal": {200, whole}, "a file": {0, whole}} {
		t.Run("APP-35 "+name, func(t *testing.T) {
			var out bytes.Buffer
			for _, block := range [][][]string{rows[:2], rows[2:]} {
				if err := (&columns{w: &out, colorful: true, room: tc.room}).print(block...); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(tc.want, out.String()); diff != "" {
				t.Errorf("printed (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("APP-35 -o wide cuts nothing", func(t *testing.T) {
		terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
		if err != nil {
			t.Skipf("this machine has no terminals: %v", err)
		}
		t.Cleanup(func() { _ = terminal.Close() })
		if err := unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 42}); err != nil {
			t.Fatal(err)
		}
		for output, want := range map[string]int{"table": 42, "wide": 0, "name": 0, uncut("table"): 0} {
			if got := newColumns(terminal, newDisplay(), output).room; got != want {
				t.Errorf("-o %s cuts at %d, not %d", output, got, want)
			}
		}
		if got := newColumns(&bytes.Buffer{}, newDisplay(), "table").room; got != 0 {
			t.Errorf("a file is cut at %d", got)
		}
	})
}
