package fault

import (
	"errors"
	"fmt"
	"testing"
)

var errBoom = errors.New("boom")

// typed is an error whose type has the ID.
type typed struct{ error }

func (e typed) Unwrap() error { return e.error }

func (typed) FaultID() ID { return Port }

func TestOf(t *testing.T) {
	for name, tc := range map[string]struct {
		err  error
		want ID
	}{
		"an error without one":                  {errBoom, ""},
		"one that was given":                    {New(Disk, errBoom), Disk},
		"one below other errors":                {fmt.Errorf("start: %w", errors.Join(errBoom, New(Disk, errBoom))), Disk},
		"one by the type of the error":          {fmt.Errorf("start: %w", typed{errBoom}), Port},
		"the first that was given is kept":      {New(Directory, fmt.Errorf("check: %w", New(Disk, errBoom))), Disk},
		"that of a type is kept, too":           {New(Directory, typed{errBoom}), Port},
		"no error has none":                     {New(Disk, nil), ""},
		"an exit code has one, as its 00 shows": {New(OfExit(7), errBoom), Directory},
	} {
		t.Run("APP-35 "+name, func(t *testing.T) {
			if got := Of(tc.err); got != tc.want {
				t.Errorf("the ID is %q, want %q", got, tc.want)
			}
			if tc.err != nil && !errors.Is(tc.err, errBoom) {
				t.Errorf("%v no longer wraps its cause", tc.err)
			}
		})
	}
}
