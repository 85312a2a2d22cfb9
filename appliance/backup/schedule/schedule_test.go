package schedule

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/paths"
)

var errBoom = errors.New("boom")

// world is a clock that stands still but for waits, and what happens at which time.
type world struct {
	now   time.Time
	fails int    // of the next backups
	warns string // the text of a backup that is made
	made  []string
	until time.Time // the end
}

func (w *world) schedule(t *testing.T, p paths.Paths) *Schedule {
	return &Schedule{
		Config: &config.Backup{Schedule: "0 3 * * *", To: "/mnt"}, Paths: p, Now: func() time.Time { return w.now }, Log: logr.Discard(),
		Make: func(context.Context) (string, error) {
			if w.fails > 0 {
				w.fails--
				w.made = append(w.made, "failed "+w.now.Format(stamp))
				return "", errBoom
			}
			w.made = append(w.made, w.now.Format(stamp))
			w.now = w.now.Add(time.Minute)
			return w.warns, nil
		},
		Wait: func(_ context.Context, due time.Time) error {
			if due.After(w.until) {
				return context.Canceled
			}
			if due.After(w.now) {
				w.now = due
			}
			return nil
		},
	}
}

const stamp = "2 15:04"

func TestSchedule(t *testing.T) {
	p, err := paths.New(t.TempDir())
	if err == nil {
		err = p.Create()
	}
	if err != nil {
		t.Fatal(err)
	}
	day := func(n, hour int) time.Time { return time.Date(2026, 5, n, hour, 0, 0, 0, time.Local) }
	w := &world{}
	for _, part := range []struct {
		name       string
		from, till time.Time
		fails      int
		want       string
		warns      bool
	}{
		{"a landscape that has just been made has none yet", day(1, 12), day(1, 13), 0, "", false},
		{"one is made at each time", day(1, 14), day(3, 4), 0, "2 03:00, 3 03:00", false},
		{"one that was missed is made up for, once", day(6, 12), day(7, 4), 0, "6 12:00, 7 03:00", false},
		{"one that has failed is tried again", day(7, 5), day(8, 4), 2, "failed 8 03:00, failed 8 03:05, 8 03:10", false},
		{"a failure is told", day(8, 5), day(9, 3), 9, "failed 9 03:00", true},
		{"and made up for after a restart", day(9, 4), day(9, 5), 0, "9 04:00", false},
	} {
		t.Run("APP-21 "+part.name, func(t *testing.T) {
			w.now, w.until, w.fails, w.made = part.from, part.till, part.fails, nil
			if part.warns {
				w.until = part.till.Add(time.Minute)
			}
			s := w.schedule(t, p)
			if err := s.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(w.made, ", "); got != part.want {
				t.Errorf("made %s, want %s", got, part.want)
			}
			if text, refuses := s.Component().Warning(); (text != "") != part.warns || refuses || part.warns && !strings.Contains(text, "boom") {
				t.Errorf("warns %q, %v", text, refuses)
			}
		})
	}
}

func TestWarning(t *testing.T) {
	p, err := paths.New(t.TempDir())
	if err == nil {
		err = p.Create()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Run("APP-21 a backup that is made with a warning is not made again at once", func(t *testing.T) {
		w := &world{now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.Local), until: time.Date(2026, 5, 2, 12, 0, 0, 0, time.Local), warns: "old ones stay"}
		s := w.schedule(t, p)
		if err := s.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if text, refuses := s.Component().Warning(); len(w.made) != 1 || text != w.warns || refuses {
			t.Errorf("made %v, warns %q, %v", w.made, text, refuses)
		}
	})
}

func TestCommandTellsWhatWentWrong(t *testing.T) {
	keep := int32(3)
	p, err := paths.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	_, err = Command("/bin/false", &config.Backup{To: "/mnt", Keep: &keep}, p)(t.Context())
	if err == nil {
		t.Error("APP-21 no error")
	}
}
