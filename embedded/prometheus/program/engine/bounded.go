package engine

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"
)

// Bounds of what is in memory. Users of a shoot decide what their nodes and pods serve, and could serve new series in each scrape. The head of the
// database keeps a series for three hours, also one with a single sample, and reads all of them again when the program starts.
const (
	mostSeries    = 300_000
	longestLabels = 1 << 10 // bytes of all labels of a series
)

// complain is how often the log says that series are refused.
const complain = time.Minute

// bounded stores samples of known series, and of new ones while there is room. Others are left out: what is known goes on.
type bounded struct {
	storage.Appendable
	number func() uint64 // of series in memory
	most   uint64
	log    *slog.Logger

	mu       sync.Mutex
	told     time.Time
	leftOut  int
	sinceLog int
}

// Appender is that of storage.Appendable.
func (b *bounded) Appender(ctx context.Context) storage.Appender {
	return &appender{Appender: b.Appendable.Appender(ctx), bounds: b}
}

// leaveOut counts and, now and then, tells.
func (b *bounded) leaveOut(l labels.Labels) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.leftOut++
	b.sinceLog++
	if now := time.Now(); now.Sub(b.told) > complain {
		b.log.Warn("There are too many series, or one has too long labels. Samples of new ones are left out", "metric", l.Get(labels.MetricName), "job", l.Get("job"), "samples", b.sinceLog)
		b.told, b.sinceLog = now, 0
	}
}

// refused is how many samples were left out.
func (b *bounded) refused() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return float64(b.leftOut)
}

type appender struct {
	storage.Appender
	bounds *bounded
}

// admit reports whether a sample may be stored. A reference is that of a series that was stored.
func (a *appender) admit(ref storage.SeriesRef, l labels.Labels) bool {
	if ref != 0 || (a.bounds.number() < a.bounds.most && size(l) <= longestLabels) {
		return true
	}
	if known, ok := a.Appender.(storage.GetRef); ok {
		if found, _ := known.GetRef(l, l.Hash()); found != 0 {
			return true
		}
	}
	a.bounds.leaveOut(l)
	return false
}

func size(l labels.Labels) int {
	bytes := 0
	l.Range(func(one labels.Label) { bytes += len(one.Name) + len(one.Value) })
	return bytes
}

// The reference 0 tells the caller that there is nothing to remember.

func (a *appender) Append(ref storage.SeriesRef, l labels.Labels, t int64, v float64) (storage.SeriesRef, error) {
	if !a.admit(ref, l) {
		return 0, nil
	}
	return a.Appender.Append(ref, l, t, v)
}

func (a *appender) AppendHistogram(ref storage.SeriesRef, l labels.Labels, t int64, h *histogram.Histogram, fh *histogram.FloatHistogram) (storage.SeriesRef, error) {
	if !a.admit(ref, l) {
		return 0, nil
	}
	return a.Appender.AppendHistogram(ref, l, t, h, fh)
}

func (a *appender) AppendCTZeroSample(ref storage.SeriesRef, l labels.Labels, t, created int64) (storage.SeriesRef, error) {
	if !a.admit(ref, l) {
		return 0, nil
	}
	return a.Appender.AppendCTZeroSample(ref, l, t, created)
}

func (a *appender) AppendHistogramCTZeroSample(ref storage.SeriesRef, l labels.Labels, t, created int64, h *histogram.Histogram, fh *histogram.FloatHistogram) (storage.SeriesRef, error) {
	if !a.admit(ref, l) {
		return 0, nil
	}
	return a.Appender.AppendHistogramCTZeroSample(ref, l, t, created, h, fh)
}
