package hibernation_test

import (
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/controllermanager/shoot/hibernation"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestTriggers(t *testing.T) {
	schedule := func(start, end, location string) gardencorev1beta1.HibernationSchedule {
		var s gardencorev1beta1.HibernationSchedule
		for text, field := range map[string]**string{start: &s.Start, end: &s.End, location: &s.Location} {
			if text != "" {
				*field = ptr.To(text)
			}
		}
		return s
	}
	at := func(day, hour, minute int) time.Time { return time.Date(2026, 7, day, hour, minute, 0, 0, time.UTC) } // July 1 is a Wednesday
	type schedules = []gardencorev1beta1.HibernationSchedule
	for name, tc := range map[string]struct {
		schedules  schedules
		begin, now time.Time
		latest     *hibernation.Trigger
		next       time.Time
	}{
		"GCM-34 nothing has come yet": {
			schedules{schedule("0 20 * * *", "0 6 * * *", "")}, at(1, 10, 0), at(1, 12, 0), nil, at(1, 20, 0),
		},
		"GCM-34 the start lets the cluster sleep": {
			schedules{schedule("0 20 * * *", "0 6 * * *", "")}, at(1, 18, 1), at(1, 20, 0), &hibernation.Trigger{At: at(1, 20, 0), Sleep: true}, at(2, 6, 0),
		},
		"GCM-34 the end wakes it": {
			schedules{schedule("0 20 * * *", "0 6 * * *", "")}, at(1, 20, 0), at(2, 6, 30), &hibernation.Trigger{At: at(2, 6, 0)}, at(2, 20, 0),
		},
		"GCM-34 what has been followed does not count again": {
			schedules{schedule("0 20 * * *", "", "")}, at(1, 20, 0), at(1, 20, 30), nil, at(2, 20, 0),
		},
		"GCM-34 the location decides": {
			schedules{schedule("0 20 * * *", "", "Europe/Berlin")}, at(1, 17, 0), at(1, 18, 0), &hibernation.Trigger{At: at(1, 18, 0), Sleep: true}, at(2, 18, 0),
		},
		"GCM-34 of several schedules the latest decides": {
			schedules{schedule("0 18 * * 1-5", "", ""), schedule("", "30 18 * * *", "")}, at(1, 17, 0), at(1, 19, 0), &hibernation.Trigger{At: at(1, 18, 30)}, at(2, 18, 0),
		},
		"GCM-34 one that never comes is no harm": {
			schedules{schedule("0 0 31 2 *", "", "")}, at(1, 17, 0), at(1, 19, 0), nil, time.Time{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			latest, next, err := hibernation.Triggers(tc.schedules, tc.begin, tc.now)
			if err != nil {
				t.Fatal(err)
			}
			if (latest == nil) != (tc.latest == nil) || latest != nil && (!latest.At.Equal(tc.latest.At) || latest.Sleep != tc.latest.Sleep) {
				t.Errorf("latest %+v, want %+v", latest, tc.latest)
			}
			if !next.Equal(tc.next) {
				t.Errorf("next %s, want %s", next, tc.next)
			}
		})
	}
	t.Run("an invalid schedule is reported", func(t *testing.T) {
		if _, _, err := hibernation.Triggers(schedules{schedule("", "", "Nowhere/Land")}, at(1, 0, 0), at(1, 1, 0)); err == nil {
			t.Error("no error")
		}
	})
}
