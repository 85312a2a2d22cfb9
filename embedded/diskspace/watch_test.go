package diskspace

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestWatch(t *testing.T) {
	now := time.Now()
	left, asked := int64(0), 0
	var failure error
	w := &Watch{dir: "/state", now: func() time.Time { return now }, free: func(dir string) (int64, error) {
		asked++
		if dir != "/state" {
			t.Errorf("asked for %s", dir)
		}
		return left, failure
	}}
	for _, step := range []struct {
		name                       string
		mebibytes                  int64
		err                        error
		users, essential, degraded bool
		warning                    string
	}{
		{name: "a disk with room", mebibytes: 1000, users: true, essential: true},
		{name: "one that fills is told", mebibytes: 250, users: true, essential: true, warning: "fills: about 250 MiB are free"},
		{name: "one that is nearly full refuses users", mebibytes: 127, essential: true, degraded: true, warning: "nearly full: about 120 MiB are free; until 192 MiB are"},
		{name: "what cannot be asked stays", err: errors.New("boom"), essential: true, degraded: true, warning: "about 120 MiB"},
		{name: "a little more does not help", mebibytes: 180, essential: true, degraded: true, warning: "nearly full"},
		{name: "enough room helps", mebibytes: 193, users: true, essential: true, warning: "fills"},
		{name: "a full one refuses everybody", mebibytes: 5, degraded: true, warning: "is full: less than 10 MiB are free"},
		{name: "a little more does not help everybody", mebibytes: 60, degraded: true, warning: "is full"},
		{name: "more helps components", mebibytes: 65, essential: true, degraded: true, warning: "nearly full"},
		{name: "it heals", mebibytes: 1000, users: true, essential: true},
	} {
		t.Run("APP-5 "+step.name, func(t *testing.T) {
			now = now.Add(age)
			left, failure = step.mebibytes<<20, step.err
			if err := w.Low(false); (err == nil) != step.users {
				t.Errorf("users: %v", err)
			}
			if err := w.Low(true); (err == nil) != step.essential {
				t.Errorf("components: %v", err)
			}
			text, refuses := w.Warning()
			if refuses != step.degraded || !strings.Contains(text, step.warning) || (text == "") != (step.warning == "") {
				t.Errorf("warning is %q, %t; want %q, %t", text, refuses, step.warning, step.degraded)
			}
		})
	}
	t.Run("the system is not asked for each request", func(t *testing.T) {
		now = now.Add(age)
		before := asked
		for range 10 {
			_ = w.Low(false)
		}
		if asked != before+1 {
			t.Errorf("asked %d times", asked-before)
		}
	})
}

func TestFree(t *testing.T) {
	if left, err := Free(t.TempDir()); err != nil || left <= 0 {
		t.Errorf("%d bytes are free, %v", left, err)
	}
}
