package csrapproval

import (
	"context"
	"fmt"

	authorizationv1 "k8s.io/api/authorization/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	seedmanagementv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// Reconciler decides on the certificate signing requests of the garden. All fields are required.
type Reconciler struct {
	Client client.Client
	Reader client.Reader // uncached: requests are rare
}

// Reconcile approves the request if it comes from a gardenlet, the requester has the permission for it, and the seed is that
// of the requester.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	csr := &certificatesv1.CertificateSigningRequest{}
	if err := r.Client.Get(ctx, request.NamespacedName, csr); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if !pending(csr) {
		return reconcile.Result{}, nil
	}
	seed, err := SeedOf(csr)
	if err != nil {
		return reconcile.Result{}, nil
	}
	allowed, err := r.requesterMay(ctx, csr)
	if err != nil {
		return reconcile.Result{}, err
	}
	verdict, reason := Deny, "The requester may not create certificatesigningrequests/seedclient."
	if allowed {
		known, err := r.known(ctx)
		if err != nil {
			return reconcile.Result{}, err
		}
		verdict, reason = Judge(csr, seed, known)
	}
	if verdict == Wait {
		log.FromContext(ctx).Info("Certificate request of a seed waits for an operator", "requester", csr.Spec.Username, "reason", reason)
		return reconcile.Result{}, nil
	}
	return reconcile.Result{}, r.record(ctx, csr.DeepCopy(), verdict, reason)
}

func (r *Reconciler) record(ctx context.Context, csr *certificatesv1.CertificateSigningRequest, verdict Verdict, reason string) error {
	condition := certificatesv1.CertificateSigningRequestCondition{
		Type: certificatesv1.CertificateApproved, Reason: "AutoApproved", Status: corev1.ConditionTrue, Message: reason,
	}
	if verdict == Deny {
		condition.Type, condition.Reason = certificatesv1.CertificateDenied, "AccessDenied"
	}
	csr.Status.Conditions = append(csr.Status.Conditions, condition)
	if err := r.Client.SubResource("approval").Update(ctx, csr); err != nil {
		return fmt.Errorf("record decision: %w", err)
	}
	return nil
}

// known finds the seeds of the garden. Their names suffice.
func (r *Reconciler) known(ctx context.Context) (Known, error) {
	found := Known{Seeds: map[string]bool{}, Managed: map[string]bool{}}
	for _, kind := range []struct {
		of        schema.GroupVersion
		name      string
		namespace string
		into      map[string]bool
	}{
		{gardencorev1beta1.SchemeGroupVersion, "SeedList", "", found.Seeds},
		{seedmanagementv1alpha1.SchemeGroupVersion, "ManagedSeedList", constants.GardenNamespace, found.Managed},
		{seedmanagementv1alpha1.SchemeGroupVersion, "GardenletList", constants.GardenNamespace, found.Managed},
	} {
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(kind.of.WithKind(kind.name))
		if err := r.Reader.List(ctx, list, client.InNamespace(kind.namespace)); err != nil {
			return found, fmt.Errorf("list seeds: %w", err)
		}
		for i := range list.Items {
			kind.into[list.Items[i].Name] = true
		}
	}
	return found, nil
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
