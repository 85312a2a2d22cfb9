package stale

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Periods says how long unused projects are tolerated.
type Periods struct {
	MinimumLifetime time.Duration // younger projects, and those with later activity, are never stale
	Grace           time.Duration // how long a project is stale before the time of its deletion is announced
	Expiration      time.Duration // how long a project is stale before it is deleted
}

// Decision is what to do with a Project.
type Decision struct {
	StaleSince *metav1.Time
	AutoDelete *metav1.Time
	Delete     bool
	After      time.Duration // time until the decision may change by itself; 0 if it does not
}

// Decide returns the decision for a Project, given whether it is used. A Project that is exempt counts as used.
func Decide(project *gardencorev1beta1.Project, used bool, periods Periods, now time.Time) Decision {
	if used {
		return Decision{}
	}
	last := project.CreationTimestamp.Time
	if noted := project.Status.LastActivityTimestamp; noted != nil && noted.After(last) {
		last = noted.Time
	}
	if begin := last.Add(periods.MinimumLifetime); now.Before(begin) {
		return Decision{After: begin.Sub(now)}
	}
	since := project.Status.StaleSinceTimestamp
	if since == nil {
		since = stamp(now)
	}
	if begin := since.Add(periods.Grace); now.Before(begin) {
		return Decision{StaleSince: since, After: begin.Sub(now)}
	}
	end := stamp(since.Add(periods.Expiration))
	if told := project.Status.StaleAutoDeleteTimestamp; told != nil && end.Before(told) {
		end = told // an announced time is not withdrawn
	}
	if now.Before(end.Time) {
		return Decision{StaleSince: since, AutoDelete: end, After: end.Sub(now)}
	}
	return Decision{StaleSince: since, AutoDelete: end, Delete: true}
}

// stamp truncates a time to the precision of the API.
func stamp(t time.Time) *metav1.Time {
	out := metav1.NewTime(t.Truncate(time.Second))
	return &out
}
