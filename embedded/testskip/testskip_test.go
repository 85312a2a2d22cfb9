package testskip_test

import (
	"testing"

	"github.com/gardener-up/gardener-up/embedded/testskip"
)

// recorder notes how a test ends, and goes on.
type recorder struct {
	testing.TB
	end string
}

func (r *recorder) Helper()      {}
func (r *recorder) Fatal(...any) { r.end += "failed" }
func (r *recorder) Skip(...any)  { r.end += "skipped" }

func TestOutsideCI(t *testing.T) {
	t.Run("nothing is skipped in CI", func(t *testing.T) {
		t.Setenv("CI", "true")
		r := &recorder{}
		testskip.OutsideCI(r, "no engine")
		if r.end != "failed" {
			t.Errorf("ended as %q", r.end)
		}
	})
	t.Run("developers may lack something", func(t *testing.T) {
		t.Setenv("CI", "")
		r := &recorder{}
		testskip.OutsideCI(r, "no engine")
		if r.end != "skipped" {
			t.Errorf("ended as %q", r.end)
		}
	})
}
