package stale_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/controllermanager/project/stale"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestDecide(t *testing.T) {
	const day = 24 * time.Hour
	now := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	ago := func(days int) *metav1.Time {
		stamp := metav1.NewTime(now.Add(-time.Duration(days) * day))
		return &stamp
	}
	periods := stale.Periods{MinimumLifetime: 30 * day, Grace: 14 * day, Expiration: 90 * day}
	change := func(f func(*stale.Periods)) stale.Periods { p := periods; f(&p); return p }
	for name, tc := range map[string]struct {
		created, active, since, end *metav1.Time
		used                        bool
		periods                     stale.Periods
		want                        stale.Decision
	}{
		"GCM-9 GCM-10 an old unused project is marked": {
			created: ago(40), periods: periods, want: stale.Decision{StaleSince: ago(0), After: 14 * day},
		},
		"GCM-9 one with activity since then is not": {
			created: ago(40), active: ago(10), periods: periods, want: stale.Decision{After: 20 * day},
		},
		"GCM-10 use takes all marks away": {
			created: ago(400), since: ago(20), end: ago(-70), used: true, periods: periods, want: stale.Decision{},
		},
		"GCM-10 so does activity": {
			created: ago(400), active: ago(1), since: ago(20), end: ago(-70), periods: periods, want: stale.Decision{After: 29 * day},
		},
		"GCM-10 the first mark stays": {
			created: ago(400), since: ago(5), periods: periods, want: stale.Decision{StaleSince: ago(5), After: 9 * day},
		},
		"GCM-11 after the grace period the deletion is announced": {
			created: ago(400), since: ago(14), periods: periods, want: stale.Decision{StaleSince: ago(14), AutoDelete: ago(-76), After: 76 * day},
		},
		"GCM-11 when it has come the project goes": {
			created: ago(400), since: ago(90), end: ago(0), periods: periods, want: stale.Decision{StaleSince: ago(90), AutoDelete: ago(0), Delete: true},
		},
		"GCM-12 a young project is never marked": {
			created: ago(29), since: ago(1), periods: periods, want: stale.Decision{After: day},
		},
		"GCM-12 a longer minimum lifetime takes marks away": {
			created: ago(60), since: ago(30), end: ago(-60), periods: change(func(p *stale.Periods) { p.MinimumLifetime = 70 * day }), want: stale.Decision{After: 10 * day},
		},
		"GCM-12 a longer grace period takes the end back": {
			created: ago(400), since: ago(20), end: ago(-70), periods: change(func(p *stale.Periods) { p.Grace = 21 * day }), want: stale.Decision{StaleSince: ago(20), After: day},
		},
		"GCM-12 a longer expiration puts the end off": {
			created: ago(400), since: ago(20), end: ago(-70), periods: change(func(p *stale.Periods) { p.Expiration = 100 * day }),
			want: stale.Decision{StaleSince: ago(20), AutoDelete: ago(-80), After: 80 * day},
		},
		"GCM-12 a shorter one does not change an announced deletion": {
			created: ago(400), since: ago(20), end: ago(-70), periods: change(func(p *stale.Periods) { p.Expiration = 20 * day }),
			want: stale.Decision{StaleSince: ago(20), AutoDelete: ago(-70), After: 70 * day},
		},
	} {
		t.Run(name, func(t *testing.T) {
			project := &gardencorev1beta1.Project{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: *tc.created}}
			project.Status.LastActivityTimestamp, project.Status.StaleSinceTimestamp, project.Status.StaleAutoDeleteTimestamp = tc.active, tc.since, tc.end
			if diff := cmp.Diff(tc.want, stale.Decide(project, tc.used, tc.periods, now)); diff != "" {
				t.Errorf("decision (-want +got):\n%s", diff)
			}
		})
	}
}
