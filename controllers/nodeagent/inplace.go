package nodeagent

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

const (
	// inPlacePeriod is the interval for looking at the Node of a machine that is updated in place.
	inPlacePeriod = 3 * time.Second
	// settleTime is how long a machine that has nothing to update waits for a newer configuration before it reports success: the
	// machine controller may ask for the update before the configuration has arrived.
	settleTime = 30 * time.Second
)

// pace is how long to wait for a change of the Secret.
func (a *Agent) pace() time.Duration {
	if a.inPlace {
		return inPlacePeriod
	}
	return lookPeriod
}

// gate is what a machine that is updated in place may do now.
type gate struct {
	// ready means that the machine controller waits for the result of the update, since a time.
	ready bool
	since time.Time
	// newer means that the configuration differs from the one applied last in what only an update in place may change.
	newer bool
}

// closed reports whether the configuration has to wait until the machine may be updated.
func (g gate) closed() bool { return g.newer && !g.ready }

// gate looks whether a configuration may be applied. A configuration that is not about updates in place always may.
func (a *Agent) gate(ctx context.Context, osc *extensionsv1alpha1.OperatingSystemConfig, applied *extensionsv1alpha1.OperatingSystemConfig) (gate, error) {
	a.inPlace = osc.Spec.InPlaceUpdates != nil && !a.Led
	if !a.inPlace || applied == nil {
		return gate{}, nil
	}
	node, err := a.Client.CoreV1().Nodes().Get(ctx, a.NodeName, metav1.GetOptions{})
	if err != nil {
		return gate{}, fmt.Errorf("read node %s: %w", a.NodeName, err)
	}
	out := gate{newer: applied.Spec.InPlaceUpdates != nil && needsUpdate(osc.Spec.InPlaceUpdates, applied.Spec.InPlaceUpdates)}
	if node.Labels[machinev1alpha1.UpdateResultLabel] != "" {
		return out, nil
	}
	for _, condition := range node.Status.Conditions {
		if condition.Type == machinev1alpha1.NodeInPlaceUpdate && condition.Status == corev1.ConditionTrue && condition.Reason == machinev1alpha1.ReasonReadyForUpdate {
			out.ready, out.since = true, condition.LastTransitionTime.Time
		}
	}
	return out, nil
}

// confirm reports success if the machine controller asks for an update to the configuration that was applied last.
func (a *Agent) confirm(ctx context.Context, data []byte) error {
	osc, err := Decode(data)
	if err != nil {
		return err
	}
	gate, err := a.gate(ctx, osc, osc)
	if err != nil {
		return err
	}
	return a.report(ctx, gate, nil)
}

// needsUpdate reports whether two configurations differ in the minor version of the kubelet, the version of the operating system, or
// credentials that rotate.
func needsUpdate(wanted, applied *extensionsv1alpha1.InPlaceUpdates) bool {
	return minorOf(wanted.KubeletVersion) != minorOf(applied.KubeletVersion) || wanted.OperatingSystemVersion != applied.OperatingSystemVersion ||
		!equality.Semantic.DeepEqual(wanted.CredentialsRotation, applied.CredentialsRotation)
}

func minorOf(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(len(parts), 2)], ".")
}

// report tells the machine controller the result of an update.
func (a *Agent) report(ctx context.Context, g gate, failure error) error {
	if !g.ready || failure == nil && !g.newer && a.Clock.Since(g.since) < settleTime {
		return nil
	}
	result, reason := machinev1alpha1.UpdateSuccessful, "null"
	if failure != nil {
		result, reason = machinev1alpha1.UpdateFailed, fmt.Sprintf("%q", failure.Error())
	}
	patch := fmt.Appendf(nil, `{"metadata":{"labels":{%q:%q},"annotations":{%q:%s}}}`, machinev1alpha1.UpdateResultLabel, result, machinev1alpha1.UpdateFailedReasonAnnotation, reason)
	if _, err := a.Client.CoreV1().Nodes().Patch(ctx, a.NodeName, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("report the update of node %s: %w", a.NodeName, err)
	}
	a.Log.Info("Reported the update in place", "result", result)
	return nil
}
