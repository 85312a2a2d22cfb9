package csrapproval

import (
	"context"
	"fmt"

	authorizationv1 "k8s.io/api/authorization/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// Reconciler decides on the certificate signing requests of the garden.
type Reconciler struct {
	Client client.Client
}

// Reconcile approves the request if it comes from a gardenlet and the requester has the permission for it.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	csr := &certificatesv1.CertificateSigningRequest{}
	if err := r.Client.Get(ctx, request.NamespacedName, csr); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if !pending(csr) || IsSeedClient(csr) != nil {
		return reconcile.Result{}, nil
	}
	allowed, err := r.requesterMay(ctx, csr)
	if err != nil {
		return reconcile.Result{}, err
	}
	verdict := certificatesv1.CertificateSigningRequestCondition{Type: certificatesv1.CertificateDenied, Message: "The requester may not create certificatesigningrequests/seedclient."}
	if allowed {
		verdict = certificatesv1.CertificateSigningRequestCondition{Type: certificatesv1.CertificateApproved, Message: "Auto approving gardenlet client certificate after a SubjectAccessReview."}
	}
	verdict.Status, verdict.Reason = corev1.ConditionTrue, "AutoApproved"
	if !allowed {
		verdict.Reason = "AccessDenied"
	}
	csr = csr.DeepCopy()
	csr.Status.Conditions = append(csr.Status.Conditions, verdict)
	if err := r.Client.SubResource("approval").Update(ctx, csr); err != nil {
		return reconcile.Result{}, fmt.Errorf("record decision: %w", err)
	}
	return reconcile.Result{}, nil
}

func (r *Reconciler) requesterMay(ctx context.Context, csr *certificatesv1.CertificateSigningRequest) (bool, error) {
	extra := make(map[string]authorizationv1.ExtraValue, len(csr.Spec.Extra))
	for key, value := range csr.Spec.Extra {
		extra[key] = authorizationv1.ExtraValue(value)
	}
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: csr.Spec.Username, UID: csr.Spec.UID, Groups: csr.Spec.Groups, Extra: extra,
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Group: certificatesv1.GroupName, Resource: "certificatesigningrequests", Subresource: "seedclient", Verb: "create",
		},
	}}
	if err := r.Client.Create(ctx, review); err != nil {
		return false, fmt.Errorf("review access of the requester: %w", err)
	}
	return review.Status.Allowed, nil
}

func pending(csr *certificatesv1.CertificateSigningRequest) bool {
	return csr.Spec.SignerName == certificatesv1.KubeAPIServerClientSignerName && len(csr.Status.Conditions) == 0 && len(csr.Status.Certificate) == 0
}

// AddToManager adds the controller to the manager of the garden.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	const name = "controllermanager-csrapproval"
	err := builder.ControllerManagedBy(mgr).
		Named(name).
		WithOptions(options.Controller()).
		For(&certificatesv1.CertificateSigningRequest{}, builder.WithPredicates(predicate.NewPredicateFuncs(func(object client.Object) bool {
			csr, ok := object.(*certificatesv1.CertificateSigningRequest)
			return ok && pending(csr)
		}))).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}
