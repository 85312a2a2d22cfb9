package decisions

import (
	"context"
	"errors"
	"testing"
)

func TestMeasure(t *testing.T) {
	t.Run("each run has a percentile, and each answer is right", func(t *testing.T) {
		got, err := Measure(t.Context(), 2, 10, 100, 10)
		if err != nil || len(got) != 2 || got.Min() <= 0 {
			t.Errorf("%v, %v", got, err)
		}
	})
	t.Run("a wrong answer is an error", func(t *testing.T) {
		if _, err := Measure(t.Context(), 1, 1, 5, 5); err == nil { // has no shoot-7
			t.Error("it was taken")
		}
	})
	t.Run("an interruption ends it", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := Measure(ctx, 2, 10, 100, 10); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}
