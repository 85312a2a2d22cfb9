package engine

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/tsdb"
)

func TestBounds(t *testing.T) {
	db, err := tsdb.Open(t.TempDir(), slog.New(slog.DiscardHandler), nil, tsdb.DefaultOptions(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	b := &bounded{Appendable: db, number: db.Head().NumSeries, most: 10, log: slog.New(slog.DiscardHandler)}
	write := func(at int64, value string) (stored bool) {
		t.Helper()
		app := b.Appender(t.Context())
		ref, err := app.Append(0, labels.FromStrings(labels.MetricName, "answer", "value", value), at, 42)
		if err != nil {
			t.Fatal(err)
		}
		if err := app.Commit(); err != nil {
			t.Fatal(err)
		}
		return ref != 0
	}
	t.Run("GLT-33 a series with long labels is left out", func(t *testing.T) {
		if write(1000, strings.Repeat("x", longestLabels)) {
			t.Error("it was stored")
		}
	})
	t.Run("GLT-33 new series are left out when there are too many, known ones go on", func(t *testing.T) {
		for i := range 50 {
			if stored := write(1000, fmt.Sprint(i)); stored != (i < 10) {
				t.Errorf("series %d: stored is %t", i, stored)
			}
		}
		if !write(2000, "3") {
			t.Error("a sample of a known series is left out")
		}
		if got := db.Head().NumSeries(); got != 10 || b.refused() != 41 {
			t.Errorf("%d series are in memory, %v samples were left out", got, b.refused())
		}
	})
}
