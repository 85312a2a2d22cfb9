package etcd

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/druid/compaction"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

// Times between two looks at the reports of members: often until the first backup is known.
const (
	firstLook = 5 * time.Second
	nextLook  = time.Minute
)

const (
	// A delta snapshot is late after two periods, and a full one an hour after its time, because a large one takes a while.
	latePeriods  = 2
	fullTakes    = time.Hour
	defaultDelta = 5 * time.Minute
)

// reports are what the members of an Etcd tell by their Leases.
type reports struct {
	expected bool // false if the members make no backups
	leases   map[string]*coordinationv1.Lease
}

func (r *Reconciler) reports(ctx context.Context, etcd *druidv1alpha1.Etcd) (reports, error) {
	list := &coordinationv1.LeaseList{}
	if err := r.Reader.List(ctx, list, client.InNamespace(etcd.Namespace), client.MatchingLabels(selectorLabels(etcd))); err != nil {
		return reports{}, fmt.Errorf("list Leases of members: %w", err)
	}
	out := reports{expected: r.backups(etcd).on(), leases: map[string]*coordinationv1.Lease{}}
	for i := range list.Items {
		out.leases[list.Items[i].Name] = &list.Items[i]
	}
	return out, nil
}

// apply adds the reports to the status, which has the other conditions already, and returns when to look again.
func (r reports) apply(etcd *druidv1alpha1.Etcd, now metav1.Time) time.Duration {
	identified := true
	for i := range etcd.Status.Members {
		identified = r.identify(&etcd.Status.Members[i]) && identified
	}
	if !r.expected {
		etcd.Status.Conditions = slices.DeleteFunc(etcd.Status.Conditions, func(c druidv1alpha1.Condition) bool {
			return c.Type == druidv1alpha1.ConditionTypeBackupReady || c.Type == druidv1alpha1.ConditionTypeSnapshotCompactionSucceeded
		})
		switch {
		case etcd.Spec.Replicas > 0 && !identified:
			return firstLook
		case etcd.Spec.Replicas > 1: // the leader may change
			return nextLook
		default:
			return 0
		}
	}
	found := r.backupReady(etcd, now.Time)
	setCondition(etcd, found, now)
	if last := compaction.ResultOf(r.leases[fullLeaseName(etcd)]); last != nil {
		setCondition(etcd, compacted(last), now)
	}
	if found.Status == druidv1alpha1.ConditionTrue || etcd.Spec.Replicas == 0 {
		return nextLook
	}
	return firstLook
}

// compacted is the condition for the last compaction of snapshots.
func compacted(last *compaction.Result) druidv1alpha1.Condition {
	message := fmt.Sprintf("Snapshots are merged up to revision %d.", last.Revision)
	if !last.Succeeded {
		message = "Snapshots could not be merged: " + last.Message
	}
	return condition(druidv1alpha1.ConditionTypeSnapshotCompactionSucceeded, last.Succeeded, "JobSucceeded", "JobFailed", message)
}

// identify adds ID and role, which a member tells as the holder of its Lease. It reports whether the member has told them.
func (r reports) identify(member *druidv1alpha1.EtcdMemberStatus) bool {
	lease := r.leases[member.Name]
	if lease == nil {
		return false
	}
	id, role, found := strings.Cut(ptr.Deref(lease.Spec.HolderIdentity, ""), ":")
	if found {
		member.ID, member.Role = &id, ptr.To(druidv1alpha1.EtcdRole(role))
	}
	return found
}

// renewed is the time of a report; zero if there is none.
func (r reports) renewed(lease string) time.Time {
	if l := r.leases[lease]; l != nil && l.Spec.RenewTime != nil {
		return l.Spec.RenewTime.Time
	}
	return time.Time{}
}

// problem is why no snapshot is stored, as the leader tells it; empty if it tells of nothing.
func (r reports) problem(etcd *druidv1alpha1.Etcd) string {
	if l := r.leases[fullLeaseName(etcd)]; l != nil {
		return l.Annotations[constants.AnnotationBackupProblem]
	}
	return ""
}

// backupReady is the condition. Backups of a member that has just begun to serve are not late yet.
func (r reports) backupReady(etcd *druidv1alpha1.Etcd, now time.Time) druidv1alpha1.Condition {
	out := druidv1alpha1.Condition{Type: druidv1alpha1.ConditionTypeBackupReady, Status: druidv1alpha1.ConditionUnknown, Reason: "Unknown"}
	full, delta := r.renewed(fullLeaseName(etcd)), r.renewed(deltaLeaseName(etcd))
	switch {
	case etcd.Spec.Replicas == 0:
		out.Reason, out.Message = "NotChecked", "The etcd is scaled to 0 members."
		return out
	case r.problem(etcd) != "":
		out.Status, out.Reason, out.Message = druidv1alpha1.ConditionFalse, "BackupFailed", "No snapshot is stored: "+r.problem(etcd)+"."
		return out
	case full.IsZero() || delta.IsZero():
		out.Message = "No backup has been reported yet."
		if since := served(etcd); !since.IsZero() && now.Sub(since) > fullTakes {
			out.Status, out.Reason = druidv1alpha1.ConditionFalse, "BackupFailed"
		}
		return out
	}
	if since := served(etcd); since.After(delta) {
		delta = since
	}
	if period := deltaPeriod(etcd); now.Sub(delta) > latePeriods*period {
		out.Status, out.Reason, out.Message = druidv1alpha1.ConditionFalse, "BackupFailed", fmt.Sprintf("No delta snapshot was made in time: one is due every %s.", period)
		return out
	}
	if due := nextFull(etcd, full); now.Sub(due) > fullTakes && now.Sub(served(etcd)) > fullTakes {
		out.Status, out.Reason, out.Message = druidv1alpha1.ConditionFalse, "BackupFailed", "No full snapshot was made in time."
		return out
	}
	out.Status, out.Reason, out.Message = druidv1alpha1.ConditionTrue, "BackupSucceeded", "Full and delta snapshots are made in time."
	return out
}

// served is since when a majority of the members serves; zero if it does not.
func served(etcd *druidv1alpha1.Etcd) time.Time {
	for _, condition := range etcd.Status.Conditions {
		if condition.Type == druidv1alpha1.ConditionTypeReady && condition.Status == druidv1alpha1.ConditionTrue {
			return condition.LastTransitionTime.Time
		}
	}
	return time.Time{}
}

func deltaPeriod(etcd *druidv1alpha1.Etcd) time.Duration {
	if period := etcd.Spec.Backup.DeltaSnapshotPeriod; period != nil && period.Duration > 0 {
		// Members report every half minute.
		return max(period.Duration, 30*time.Second)
	}
	return defaultDelta
}

// nextFull is when the full snapshot after the last one is due.
func nextFull(etcd *druidv1alpha1.Etcd, last time.Time) time.Time {
	schedule, err := cron.ParseStandard(ptr.Deref(etcd.Spec.Backup.FullSnapshotSchedule, ""))
	if err != nil {
		return last.Add(24 * time.Hour)
	}
	return schedule.Next(last)
}
