package entry

import (
	"context"
	"errors"
	"testing"
)

func TestRemember(t *testing.T) {
	asked, fails := 0, true
	get := Remember(func(context.Context) (string, error) {
		if asked++; fails {
			return "", errors.New("not yet")
		}
		return "there", nil
	})
	if _, err := get(t.Context()); err == nil {
		t.Error("a failure is not told")
	}
	fails = false
	for range 2 {
		if got, err := get(t.Context()); err != nil || got != "there" {
			t.Errorf("found %q, %v", got, err)
		}
	}
	if asked != 2 {
		t.Errorf("asked %d times, want once after the failure", asked)
	}
}
