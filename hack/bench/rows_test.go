package main

import (
	"slices"
	"testing"

	"github.com/gardener-up/gardener-up/hack/bench/stats"
)

func TestRows(t *testing.T) {
	t.Run("what was not measured is missing, never zero", func(t *testing.T) {
		for _, row := range (&bench{}).rows() {
			if !row.Missing() {
				t.Errorf("row %q is complete", row.What)
			}
		}
	})
	t.Run("a complete run fills every row", func(t *testing.T) {
		one := stats.Sample{1}
		idle := usage{rss: one, pss: one, cpu: one}
		b := &bench{found: figures{
			cold: one, restart: one, shoot: one, peerCold: one, peerRestart: one, idle: idle, withShoot: idle, peerIdle: idle,
			shootPSS: one, daemonPSS: one, migration: one, etcdPSS: one, backupPSS: one, decision: one, download: one, downloadHow: "xz",
		}}
		for _, row := range b.rows() {
			if row.Missing() {
				t.Errorf("row %q misses something", row.What)
			}
		}
	})
	t.Run("a run of some parts has their rows only", func(t *testing.T) {
		var got []string
		for _, row := range (&bench{only: []string{decision, compressed}}).rows() {
			got = append(got, row.What)
		}
		if want := []string{"seed authorizer, p99 of a decision", "download"}; !slices.Equal(got, want) {
			t.Errorf("rows %q, want %q", got, want)
		}
		all := 0
		for _, part := range parts {
			all += len((&bench{only: []string{part}}).rows())
		}
		if whole := len((&bench{}).rows()); all != whole {
			t.Errorf("the parts have %d rows, a whole run has %d", all, whole)
		}
	})
	t.Run("what the daemon needs more is the difference to the median without shoots", func(t *testing.T) {
		got := more(stats.Sample{5, 9}, stats.Sample{3, 4, 100})
		if want := (stats.Sample{1, 5}); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if got := more(stats.Sample{5}, nil); got != nil {
			t.Errorf("a difference to nothing: %v", got)
		}
	})
	t.Run("memory of backups is that of an etcd with them less that of one without", func(t *testing.T) {
		b := &bench{only: []string{backups}, found: figures{backupPSS: stats.Sample{23e6, 26e6}, etcdPSS: stats.Sample{21e6, 22e6, 90e6}}}
		if rows := b.rows(); len(rows) != 1 || !slices.Equal(rows[0].Values, stats.Sample{1, 4}) {
			t.Errorf("rows %+v", rows)
		}
	})
	t.Run("memory is shown in millions of bytes", func(t *testing.T) {
		b := &bench{found: figures{shootPSS: stats.Sample{350e6}}}
		for _, row := range b.rows() {
			if row.Values.Median() != 0 && row.Values.Median() != 350 {
				t.Errorf("row %q shows %v", row.What, row.Values)
			}
		}
	})
}
