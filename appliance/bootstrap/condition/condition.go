// Package condition says how far a Garden is. It changes nothing.
package condition

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/bootstrap/objects"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

// State of a bootstrap.
type State struct {
	// Operator says why the operator does not serve; empty if it does.
	Operator string `json:"operator,omitempty"`
	// Garden is nil if there is none.
	Garden *operatorv1alpha1.Garden `json:"-"`
	// Ready means that the operator has reconciled the Garden as it is now, and that all its conditions are true.
	Ready bool `json:"ready"`
	// Doing is what is waited for, or what failed; empty if it is ready.
	Doing string `json:"doing,omitempty"`
	// Percent is how far the last operation is.
	Percent int32 `json:"percent"`
}

// ErrNone means that the cluster has no Garden, not even the kind.
var ErrNone = errors.New("the cluster has no Garden")

// Look reads the state once. name is that of the Garden; empty means the only one.
func Look(ctx context.Context, c client.Client, name string) (State, error) {
	var s State
	gardens := &operatorv1alpha1.GardenList{}
	if err := c.List(ctx, gardens); err != nil && !absent(err) {
		return s, fmt.Errorf("list Gardens: %w", err)
	}
	for i := range gardens.Items {
		if name == "" || gardens.Items[i].Name == name {
			s.Garden = &gardens.Items[i]
		}
	}
	var err error
	if s.Operator, err = operator(ctx, c); err != nil {
		return s, err
	}
	s.judge()
	return s, nil
}

func absent(err error) bool { return meta.IsNoMatchError(err) || apierrors.IsNotFound(err) }

func (s *State) judge() {
	if s.Garden == nil {
		s.Doing = ErrNone.Error()
		return
	}
	status := &s.Garden.Status
	last := status.LastOperation
	switch {
	case last == nil:
		s.Doing = "the operator has not seen the Garden yet"
	case last.State == gardencorev1beta1.LastOperationStateError || last.State == gardencorev1beta1.LastOperationStateFailed:
		s.Percent, s.Doing = last.Progress, last.Description
	case last.State != gardencorev1beta1.LastOperationStateSucceeded:
		s.Percent, s.Doing = last.Progress, last.Description
	case status.ObservedGeneration != s.Garden.Generation:
		s.Doing = "the operator has not seen the change of the Garden yet"
	default:
		s.Percent = last.Progress
		s.Doing = unhealthy(status.Conditions)
	}
	if s.Operator != "" { // what the Garden says is old then
		s.Doing = s.Operator
	}
	s.Ready = s.Doing == ""
}

// unhealthy names conditions that are not true yet.
func unhealthy(conditions []gardencorev1beta1.Condition) string {
	if len(conditions) == 0 {
		return "the health of the Garden has not been checked yet"
	}
	var reasons []string
	for _, condition := range conditions {
		if condition.Status != gardencorev1beta1.ConditionTrue {
			reasons = append(reasons, string(condition.Type)+": "+condition.Message)
		}
	}
	return strings.Join(reasons, "; ")
}

// operator says why the Deployment of the operator does not serve; empty if it does.
func operator(ctx context.Context, c client.Client) (string, error) {
	deployment := &appsv1.Deployment{}
	err := c.Get(ctx, client.ObjectKey{Namespace: constants.GardenNamespace, Name: objects.Operator}, deployment)
	if apierrors.IsNotFound(err) {
		return "the operator is not installed", nil
	}
	if err != nil {
		return "", fmt.Errorf("read the Deployment of the operator: %w", err)
	}
	wanted, status := ptr.Deref(deployment.Spec.Replicas, 1), deployment.Status
	switch {
	case wanted == 0:
		return "the operator has no replicas", nil
	case status.ObservedGeneration == deployment.Generation && status.Replicas == wanted && status.UpdatedReplicas == wanted && status.AvailableReplicas == wanted:
		return "", nil
	}
	pods := &corev1.PodList{}
	if err := c.List(ctx, pods, client.InNamespace(constants.GardenNamespace), client.MatchingLabels(deployment.Spec.Selector.MatchLabels)); err != nil {
		return "", fmt.Errorf("list pods of the operator: %w", err)
	}
	for _, pod := range pods.Items {
		if why := waits(&pod); why != "" {
			return "the operator does not serve: " + why, nil
		}
	}
	return "the operator is starting", nil
}

// waits says what a pod waits for, as far as it is known.
func waits(pod *corev1.Pod) string {
	for _, status := range pod.Status.ContainerStatuses {
		if waiting := status.State.Waiting; waiting != nil && waiting.Message != "" {
			return waiting.Reason + ": " + waiting.Message
		}
		if last := status.LastTerminationState.Terminated; last != nil {
			return fmt.Sprintf("pod %s has ended %d times, last with exit code %d", pod.Name, status.RestartCount, last.ExitCode)
		}
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			return condition.Reason + ": " + condition.Message
		}
	}
	return ""
}

// Version is that of the operator that has written the status of the Garden last; empty if none has.
func (s State) Version() string {
	if s.Garden == nil || s.Garden.Status.Gardener == nil {
		return ""
	}
	return s.Garden.Status.Gardener.Version
}

// period is how often Until looks.
const period = 500 * time.Millisecond

// Until looks again and again, tells what it sees, and returns once done says so or ctx ends. It goes on after errors, since API servers
// restart; the last one is part of the error.
func Until(ctx context.Context, c client.Client, name string, done func(State) bool, tell func(State)) error {
	doing := ""
	for {
		state, err := Look(ctx, c, name)
		switch {
		case err != nil && ctx.Err() == nil:
			doing = err.Error()
		case err == nil && done(state):
			return nil
		case err == nil:
			doing = state.Doing
			tell(state)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", doing, ctx.Err())
		case <-time.After(period):
		}
	}
}
