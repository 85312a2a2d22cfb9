package examine

import (
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/bootstrap/objects"
	"github.com/gardener-up/gardener-up/appliance/bootstrap/proof"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Label and value by which the namespace of the garden takes pods of any kind.
const enforce, privileged = "pod-security.kubernetes.io/enforce", "privileged"

// podSecurity writes the namespace of the garden in a dry run, and a pod in it if it exists. So the plugins and webhooks of the cluster tell
// what they would refuse or change, whatever their rules are.
func (e *examination) podSecurity() bool {
	const check, cure = "pod security", "exempt the namespace " + constants.GardenNamespace + " from the rule that the message names"
	present := &corev1.Namespace{}
	err := e.in.Cluster.Client.Get(e.ctx, client.ObjectKey{Name: constants.GardenNamespace}, present)
	if client.IgnoreNotFound(err) != nil {
		return e.problem(check, "look at the cluster", "the namespace %s cannot be read: %v", constants.GardenNamespace, err)
	}
	missing, level := apierrors.IsNotFound(err), present.Labels[enforce]
	written := objects.Namespace().(*corev1.Namespace)
	if missing {
		err = e.in.Cluster.Client.Create(e.ctx, written, client.DryRunAll)
	} else {
		before := present.DeepCopy()
		present.Labels[enforce] = privileged // others may have changed it
		written, err = present, e.in.Cluster.Client.Patch(e.ctx, present, client.MergeFrom(before), client.DryRunAll)
	}
	switch {
	case apierrors.IsAlreadyExists(err): // another bootstrap was faster
		return e.ok(check, "the namespace %s is there", constants.GardenNamespace)
	case err != nil:
		return e.problem(check, cure, "the cluster refuses the namespace %s with the label %s=%s, which lets it take the pods of a garden: %v", constants.GardenNamespace, enforce, privileged, err)
	case written.Labels[enforce] != privileged:
		return e.problem(check, cure, "something in the cluster gives the namespace %s the label %s=%s, which refuses pods of a garden", constants.GardenNamespace, enforce, written.Labels[enforce])
	case missing:
		return e.ok(check, "the namespace %s may take all pods", constants.GardenNamespace)
	}
	if level != privileged {
		return e.warn(check, "let nobody else change that label", "the namespace %s enforces %q at present; this bootstrap sets %s=%s again", constants.GardenNamespace, level, enforce, privileged)
	}
	if err := e.in.Cluster.Client.Create(e.ctx, proof.Pod("gardener.local/gardener", "none"), client.DryRunAll); err != nil && !apierrors.IsAlreadyExists(err) {
		return e.problem(check, cure, "the cluster refuses pods in the namespace %s: %v", constants.GardenNamespace, err)
	}
	return e.ok(check, "the namespace %s takes all pods", constants.GardenNamespace)
}
