// Package csrapprover approves serving certificates of the kubelets of the target cluster. The built-in controllers of
// Kubernetes approve only client certificates.
//
// It denies a request that can never become valid. It leaves a request alone while the node or its machine is not known
// yet.
package csrapprover

import (
	"context"
	"fmt"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

// unknownNodeRetry is the interval for checking a request of an unknown node.
const unknownNodeRetry = 2 * time.Second

// Reconciler decides on the certificate signing requests of the target cluster.
type Reconciler struct {
	Name   string        // of the controller, unique in the process
	Source client.Reader // reads Machines, uncached
	Target client.Client // uncached
	Cache  cache.Cache   // of the target
	// MachineNamespace is the namespace of the Machines in the source cluster. If it is empty, a Node is sufficient.
	MachineNamespace string
}

// Reconcile decides on one request. It is idempotent.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	csr := &certificatesv1.CertificateSigningRequest{}
	if err := r.Target.Get(ctx, request.NamespacedName, csr); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if !pending(csr) {
		return reconcile.Result{}, nil
	}
	name := NodeName(csr)
	if name == "" {
		return reconcile.Result{}, r.conclude(ctx, csr, certificatesv1.CertificateDenied, "the requester is no node")
	}
	node := &corev1.Node{}
	if err := r.Target.Get(ctx, types.NamespacedName{Name: name}, node); err != nil {
		if apierrors.IsNotFound(err) {
			return reconcile.Result{RequeueAfter: unknownNodeRetry}, nil
		}
		return reconcile.Result{}, fmt.Errorf("read node %q: %w", name, err)
	}
	known, err := r.hasMachine(ctx, name)
	if err != nil {
		return reconcile.Result{}, err
	}
	if !known || len(node.Status.Addresses) == 0 {
		return reconcile.Result{RequeueAfter: unknownNodeRetry}, nil
	}
	if err := Decide(csr, node); err != nil {
		return reconcile.Result{}, r.conclude(ctx, csr, certificatesv1.CertificateDenied, err.Error())
	}
	return reconcile.Result{}, r.conclude(ctx, csr, certificatesv1.CertificateApproved, "the names and addresses are those of the node")
}

func (r *Reconciler) hasMachine(ctx context.Context, node string) (bool, error) {
	if r.MachineNamespace == "" {
		return true, nil
	}
	machines := &machinev1alpha1.MachineList{}
	if err := r.Source.List(ctx, machines, client.InNamespace(r.MachineNamespace)); err != nil {
		return false, fmt.Errorf("list machines: %w", err)
	}
	for i := range machines.Items {
		if machine := &machines.Items[i]; machine.Name == node || machine.Labels[machinev1alpha1.NodeLabelKey] == node {
			return true, nil
		}
	}
	return false, nil
}

func (r *Reconciler) conclude(ctx context.Context, csr *certificatesv1.CertificateSigningRequest, verdict certificatesv1.RequestConditionType, message string) error {
	csr.Status.Conditions = append(csr.Status.Conditions, certificatesv1.CertificateSigningRequestCondition{
		Type: verdict, Status: corev1.ConditionTrue, Reason: "RequestReviewed", Message: message,
	})
	if err := r.Target.SubResource("approval").Update(ctx, csr); err != nil {
		return fmt.Errorf("record decision: %w", err)
	}
	log.FromContext(ctx).V(1).Info("Decided about serving certificate", "verdict", verdict, "message", message)
	return nil
}

func pending(csr *certificatesv1.CertificateSigningRequest) bool {
	return csr.Spec.SignerName == certificatesv1.KubeletServingSignerName && len(csr.Status.Conditions) == 0 && len(csr.Status.Certificate) == 0
}
