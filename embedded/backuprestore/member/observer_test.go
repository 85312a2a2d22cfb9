package member

import (
	"testing"
	"time"
)

func TestLeaderCheck(t *testing.T) {
	for name, tc := range map[string]struct {
		given           LeaderCheck
		period, timeout time.Duration
	}{
		"ETC-5 a member looks as often as it reports":          {LeaderCheck{}, 30 * time.Second, 10 * time.Second},
		"ETC-5 it looks as often as the Etcd says":             {LeaderCheck{5 * time.Second, 3 * time.Second}, 5 * time.Second, 3 * time.Second},
		"ETC-5 reports are not later because looks are rare":   {LeaderCheck{Period: time.Hour}, 30 * time.Second, 10 * time.Second},
		"ETC-5 a member does not ask all the time":             {LeaderCheck{Period: time.Millisecond}, time.Second, 10 * time.Second},
		"ETC-5 a look does not end before it begins":           {LeaderCheck{Timeout: time.Millisecond}, 30 * time.Second, time.Second},
		"ETC-5 a look that hangs does not delay reports":       {LeaderCheck{Timeout: time.Hour}, 30 * time.Second, 30 * time.Second},
		"ETC-5 times before the beginning count as none given": {LeaderCheck{-1, -1}, 30 * time.Second, 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			if period, timeout := tc.given.period(), tc.given.timeout(); period != tc.period || timeout != tc.timeout {
				t.Errorf("every %s for %s, want every %s for %s", period, timeout, tc.period, tc.timeout)
			}
		})
	}
}

func TestReports(t *testing.T) {
	now := time.Now()
	for name, tc := range map[string]struct {
		reported time.Time
		pause    time.Duration
		want     bool
	}{
		"ETC-1 the first look reports":                           {time.Time{}, LongestPeriod, true},
		"ETC-1 a look of one each half minute reports":           {now.Add(-LongestPeriod - time.Millisecond), LongestPeriod, true},
		"ETC-1 frequent looks report each half minute only":      {now.Add(-28 * time.Second), time.Second, false},
		"ETC-1 the last of frequent looks in half a minute does": {now.Add(-29 * time.Second), 2 * time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := due(tc.reported, now, tc.pause); got != tc.want {
				t.Errorf("got %t, want %t", got, tc.want)
			}
		})
	}
}
