package etcd

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/druid/place"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

const (
	codeApply         = druidv1alpha1.ErrorCode("ERR_APPLY")
	codeMissingSecret = druidv1alpha1.ErrorCode("ERR_MISSING_SECRET")
	codeRefused       = druidv1alpha1.ErrorCode("ERR_REFUSED")
)

// outcome is the result of applying the spec.
type outcome struct{ err error }

// saveStatus writes the status from the StatefulSet, which may be nil, and from the outcome of applying the spec,
// unless that was not tried. It returns when to look again, because nothing wakes the controller if a backup is not made.
func (r *Reconciler) saveStatus(ctx context.Context, etcd *druidv1alpha1.Etcd, set *appsv1.StatefulSet, applied *outcome) (reconcile.Result, error) {
	before := etcd.DeepCopy()
	now := metav1.NewTime(r.Clock.Now())
	if applied != nil {
		setOutcome(etcd, applied.err, string(controller.ReconcileIDFromContext(ctx)), now)
		r.tellRefusal(etcd, before, applied.err)
	}
	setHealth(etcd, set, now)
	r.tellWithoutEffect(etcd, now)
	result := reconcile.Result{}
	told, err := r.reports(ctx, etcd)
	if err == nil {
		result.RequeueAfter = told.apply(etcd, now)
	}
	return result, errors.Join(err, patch.Status(ctx, r.Client, etcd, before))
}

// tellRefusal records an event for a refusal that is new.
func (r *Reconciler) tellRefusal(etcd, before *druidv1alpha1.Etcd, err error) {
	if errors.Is(err, place.ErrRefused) && !equality.Semantic.DeepEqual(etcd.Status.LastErrors, before.Status.LastErrors) {
		r.Recorder.Eventf(etcd, nil, corev1.EventTypeWarning, "Refused", "Reconcile", "%s", err.Error())
	}
}

func setOutcome(etcd *druidv1alpha1.Etcd, err error, runID string, now metav1.Time) {
	status := &etcd.Status
	operation := &druidv1alpha1.LastOperation{
		Type: druidv1alpha1.LastOperationTypeReconcile, State: druidv1alpha1.LastOperationStateSucceeded,
		Description: "The etcd is applied.", RunID: runID, LastUpdateTime: now,
	}
	if status.ObservedGeneration == nil {
		operation.Type = druidv1alpha1.LastOperationTypeCreate
	}
	if err == nil {
		status.ObservedGeneration = ptr.To(etcd.Generation)
		status.LastErrors = nil
		status.LastOperation = operation
		return
	}
	operation.State, operation.Description = druidv1alpha1.LastOperationStateError, err.Error()
	if last := status.LastOperation; last != nil && last.State == operation.State && last.Description == operation.Description {
		return // a retry with the same failure changes nothing
	}
	status.LastOperation = operation
	status.LastErrors = []druidv1alpha1.LastError{{Code: errorCode(err), Description: err.Error(), ObservedAt: now}}
}

func setHealth(etcd *druidv1alpha1.Etcd, set *appsv1.StatefulSet, now metav1.Time) {
	status := &etcd.Status
	seen := observe(etcd, set)
	status.Replicas, status.CurrentReplicas, status.ReadyReplicas = seen.replicas, seen.current, seen.ready
	status.Ready = ptr.To(seen.allReady() && seen.updated)
	status.PeerUrlTLSEnabled = ptr.To(etcd.Spec.Etcd.PeerUrlTLS != nil)
	status.LabelSelector = &metav1.LabelSelector{MatchLabels: selectorLabels(etcd)}
	status.Selector = ptr.To(metav1.FormatLabelSelector(status.LabelSelector))
	if set != nil {
		status.Etcd = &druidv1alpha1.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "StatefulSet", Name: set.Name}
	}
	for _, condition := range seen.conditions() {
		setCondition(etcd, condition, now)
	}
	status.Members = members(etcd, seen, now)
}

// observed is the relevant part of a StatefulSet's status.
type observed struct {
	wanted, replicas, current, ready int32
	// updated means that all pods run the current template.
	updated bool
	// reason why there is no StatefulSet.
	missing string
}

func observe(etcd *druidv1alpha1.Etcd, set *appsv1.StatefulSet) observed {
	seen := observed{wanted: etcd.Spec.Replicas}
	if set == nil {
		seen.missing = "The StatefulSet does not exist."
		if len(etcd.Status.LastErrors) > 0 {
			seen.missing = etcd.Status.LastErrors[0].Description
		}
		return seen
	}
	status := set.Status
	seen.replicas, seen.current, seen.ready = status.Replicas, status.CurrentReplicas, status.ReadyReplicas
	// The desired number is that of the StatefulSet, because a spec only counts once it is applied.
	seen.wanted = ptr.Deref(set.Spec.Replicas, 1)
	seen.updated = status.ObservedGeneration >= set.Generation && status.Replicas == seen.wanted && status.UpdatedReplicas >= seen.wanted
	if seen.updated {
		// Without a rolling update, a StatefulSet never declares the new template the current one.
		seen.current = status.UpdatedReplicas
	}
	return seen
}

func (o observed) allReady() bool { return o.missing == "" && o.ready >= o.wanted }
func (o observed) quorate() bool {
	return o.missing == "" && (o.wanted == 0 || o.ready >= o.wanted/2+1)
}

func (o observed) conditions() []druidv1alpha1.Condition {
	counts := fmt.Sprintf("%d of %d members are ready.", o.ready, o.wanted)
	if o.missing != "" {
		counts = o.missing
	}
	return []druidv1alpha1.Condition{
		condition(druidv1alpha1.ConditionTypeReady, o.quorate(), "Quorate", "NotQuorate", counts),
		condition(druidv1alpha1.ConditionTypeAllMembersReady, o.allReady(), "AllMembersReady", "NotAllMembersReady", counts),
		condition(druidv1alpha1.ConditionTypeAllMembersUpdated, o.updated, "AllMembersUpdated", "NotAllMembersUpdated", "Compared with the current template."),
	}
}

func condition(kind druidv1alpha1.ConditionType, holds bool, reason, otherwise, message string) druidv1alpha1.Condition {
	if !holds {
		return druidv1alpha1.Condition{Type: kind, Status: druidv1alpha1.ConditionFalse, Reason: otherwise, Message: message}
	}
	return druidv1alpha1.Condition{Type: kind, Status: druidv1alpha1.ConditionTrue, Reason: reason, Message: message}
}

func setCondition(etcd *druidv1alpha1.Etcd, next druidv1alpha1.Condition, now metav1.Time) {
	next.LastTransitionTime, next.LastUpdateTime = now, now
	for i, old := range etcd.Status.Conditions {
		if old.Type != next.Type {
			continue
		}
		if old.Status == next.Status {
			next.LastTransitionTime = old.LastTransitionTime
			if old.Reason == next.Reason && old.Message == next.Message {
				next.LastUpdateTime = old.LastUpdateTime
			}
		}
		etcd.Status.Conditions[i] = next
		return
	}
	etcd.Status.Conditions = append(etcd.Status.Conditions, next)
}

// members describes each member as far as the numbers allow. They do not say which member is not ready.
func members(etcd *druidv1alpha1.Etcd, seen observed, now metav1.Time) []druidv1alpha1.EtcdMemberStatus {
	old := map[string]druidv1alpha1.EtcdMemberStatus{}
	for _, member := range etcd.Status.Members {
		old[member.Name] = member
	}
	var out []druidv1alpha1.EtcdMemberStatus
	for i := range seen.wanted {
		member := druidv1alpha1.EtcdMemberStatus{Name: memberName(etcd, i), LastTransitionTime: now}
		switch {
		case seen.allReady():
			member.Status, member.Reason = druidv1alpha1.EtcdMemberStatusReady, "PodReady"
		case seen.ready == 0:
			member.Status, member.Reason = druidv1alpha1.EtcdMemberStatusNotReady, "PodNotReady"
		default:
			member.Status, member.Reason = druidv1alpha1.EtcdMemberStatusUnknown, "SomePodsNotReady"
		}
		if was, ok := old[member.Name]; ok && was.Status == member.Status {
			member.LastTransitionTime = was.LastTransitionTime
		}
		out = append(out, member)
	}
	return out
}
