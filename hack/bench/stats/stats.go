// Package stats summarises repeated measurements. It does not judge them.
package stats

import (
	"math"
	"slices"
)

// Sample is a set of measurements of one quantity, in one unit.
type Sample []float64

// Median is the middle value, or the mean of the two in the middle; 0 of an empty sample.
func (s Sample) Median() float64 {
	n := len(s)
	if n == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// Percentile is the smallest value that at least p percent of the sample do not exceed (nearest rank), so it is always
// a measured value; 0 for an empty sample. In a small sample the 95th percentile is the largest value.
func (s Sample) Percentile(p float64) float64 {
	n := len(s)
	if n == 0 {
		return 0
	}
	rank := int(math.Ceil(p / 100 * float64(n)))
	return slices.Sorted(slices.Values(s))[min(max(rank, 1), n)-1]
}

// Min is the smallest value; 0 of an empty sample.
func (s Sample) Min() float64 { return s.Percentile(0) }

// Max is the greatest value; 0 of an empty sample.
func (s Sample) Max() float64 { return s.Percentile(100) }
