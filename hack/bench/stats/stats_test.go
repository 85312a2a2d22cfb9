package stats

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSample(t *testing.T) {
	for name, tc := range map[string]struct {
		sample                Sample
		median, p95, min, max float64
	}{
		"nothing measured is zero":                      {},
		"one value is everything":                       {Sample{3}, 3, 3, 3, 3},
		"the median of an odd number is measured":       {Sample{9, 1, 5}, 5, 9, 1, 9},
		"the median of an even number is in between":    {Sample{4, 1, 2, 9}, 3, 9, 1, 9},
		"p95 of twenty leaves out the greatest":         {twenty(), 10.5, 19, 1, 20},
		"equal values do not matter":                    {Sample{2, 2, 2, 7}, 2, 7, 2, 7},
		"an outlier moves the maximum, not the median":  {Sample{1, 1, 1, 1, 100}, 1, 100, 1, 100},
		"p95 of five is the greatest, nothing is faked": {Sample{5, 4, 3, 2, 1}, 3, 5, 1, 5},
	} {
		t.Run(name, func(t *testing.T) {
			before := slices.Clone(tc.sample)
			got := []float64{tc.sample.Median(), tc.sample.Percentile(95), tc.sample.Min(), tc.sample.Max()}
			if diff := cmp.Diff([]float64{tc.median, tc.p95, tc.min, tc.max}, got); diff != "" {
				t.Errorf("median, p95, min, max (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, tc.sample); diff != "" {
				t.Errorf("the sample was changed:\n%s", diff)
			}
		})
	}
}

func twenty() Sample {
	var s Sample
	for n := 20; n > 0; n-- {
		s = append(s, float64(n))
	}
	return s
}
