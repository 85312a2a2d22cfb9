// Package installation keeps one ControllerInstallation for each Seed and each ControllerRegistration that the Seed
// needs. It protects Seeds and registrations that have installations from deletion.
//
// The gardenlet deploys the installations.
package installation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

const (
	// Finalizer is set on ControllerRegistrations and Seeds that have installations.
	Finalizer = "core.gardener.cloud/controllerregistration"

	annotationPodSecurity = "security.gardener.cloud/pod-security-enforce"
	annotationDNSProvider = "dns.gardener.cloud/provider"
	labelRole             = "gardener.cloud/role"
	gardenNamespace       = "garden"
)

// Reconciler handles Seeds.
type Reconciler struct {
	Client client.Client
}

// Reconcile creates, updates and deletes the installations of one Seed. It is idempotent: registration and seed
// determine the name of an installation. A conflict on the Seed is no error, since other controllers write it, too.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	return patch.AfterConflict(r.reconcile(ctx, request))
}

func (r *Reconciler) reconcile(ctx context.Context, request reconcile.Request) error {
	seed := &gardencorev1beta1.Seed{}
	if err := r.Client.Get(ctx, request.NamespacedName, seed); err != nil {
		return client.IgnoreNotFound(err)
	}
	landscape, err := r.survey(ctx, seed)
	if err != nil {
		return err
	}
	existing, err := r.installations(ctx, seed)
	if err != nil {
		return err
	}
	required := Required(landscape)
	if len(required) > 0 || len(existing) > 0 {
		if err := r.setFinalizer(ctx, seed, true); err != nil {
			return err
		}
	}
	if err := r.sync(ctx, seed, required, existing); err != nil {
		return err
	}
	if len(required) == 0 && len(existing) == 0 {
		return r.setFinalizer(ctx, seed, false)
	}
	return nil
}

func (r *Reconciler) survey(ctx context.Context, seed *gardencorev1beta1.Seed) (Landscape, error) {
	var (
		registrations = &gardencorev1beta1.ControllerRegistrationList{}
		shoots        = &gardencorev1beta1.ShootList{}
		buckets       = &gardencorev1beta1.BackupBucketList{}
		entries       = &gardencorev1beta1.BackupEntryList{}
		domains       = &metav1.PartialObjectMetadataList{}
	)
	domains.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("SecretList"))
	err := errors.Join(
		r.Client.List(ctx, registrations), r.Client.List(ctx, shoots), r.Client.List(ctx, buckets), r.Client.List(ctx, entries),
		r.Client.List(ctx, domains, client.InNamespace(gardenNamespace), client.HasLabels{labelRole}))
	if err != nil {
		return Landscape{}, fmt.Errorf("look at the landscape: %w", err)
	}
	landscape := Landscape{
		Seed: seed, Registrations: registrations.Items, Shoots: shoots.Items, Buckets: buckets.Items, Entries: entries.Items,
	}
	for i := range domains.Items {
		if provider := domains.Items[i].Annotations[annotationDNSProvider]; provider != "" {
			landscape.DNSTypes = append(landscape.DNSTypes, provider)
		}
	}
	return landscape, nil
}

// installations returns the installations of the seed, by registration.
func (r *Reconciler) installations(ctx context.Context, seed *gardencorev1beta1.Seed) (map[string]*gardencorev1beta1.ControllerInstallation, error) {
	list := &gardencorev1beta1.ControllerInstallationList{}
	if err := r.Client.List(ctx, list); err != nil {
		return nil, fmt.Errorf("list controller installations: %w", err)
	}
	result := map[string]*gardencorev1beta1.ControllerInstallation{}
	for i := range list.Items {
		installation := &list.Items[i]
		if installation.Spec.SeedRef != nil && installation.Spec.SeedRef.Name == seed.Name {
			result[installation.Spec.RegistrationRef.Name] = installation
		}
	}
	return result, nil
}

func (r *Reconciler) sync(ctx context.Context, seed *gardencorev1beta1.Seed, required map[string]*gardencorev1beta1.ControllerRegistration, existing map[string]*gardencorev1beta1.ControllerInstallation) error {
	var errs []error
	for name, registration := range required {
		if err := r.ensure(ctx, Desired(registration, seed), existing[name]); err != nil {
			errs = append(errs, fmt.Errorf("install %q on seed %q: %w", name, seed.Name, err))
		}
	}
	for name, installation := range existing {
		if required[name] == nil && installation.DeletionTimestamp == nil {
			if err := r.Client.Delete(ctx, installation); client.IgnoreNotFound(err) != nil {
				errs = append(errs, fmt.Errorf("delete installation of %q on seed %q: %w", name, seed.Name, err))
			}
		}
	}
	return errors.Join(errs...)
}

func (r *Reconciler) ensure(ctx context.Context, desired, existing *gardencorev1beta1.ControllerInstallation) error {
	if existing == nil {
		err := r.Client.Create(ctx, desired)
		if apierrors.IsAlreadyExists(err) {
			return nil // the cache will show it later
		}
		return err
	}
	updated := existing.DeepCopy()
	updated.Spec.DeploymentRef = desired.Spec.DeploymentRef
	if level, set := desired.Annotations[annotationPodSecurity]; set {
		metav1.SetMetaDataAnnotation(&updated.ObjectMeta, annotationPodSecurity, level)
	} else {
		delete(updated.Annotations, annotationPodSecurity)
	}
	if equality.Semantic.DeepEqual(updated, existing) {
		return nil
	}
	return r.Client.Patch(ctx, updated, client.MergeFrom(existing))
}

// Desired is the desired installation of a registration on a seed.
func Desired(registration *gardencorev1beta1.ControllerRegistration, seed *gardencorev1beta1.Seed) *gardencorev1beta1.ControllerInstallation {
	sum := sha256.Sum256([]byte(registration.UID + "/" + seed.UID))
	installation := &gardencorev1beta1.ControllerInstallation{
		ObjectMeta: metav1.ObjectMeta{Name: registration.Name + "-" + hex.EncodeToString(sum[:])[:5]},
		Spec: gardencorev1beta1.ControllerInstallationSpec{
			RegistrationRef: corev1.ObjectReference{Name: registration.Name},
			SeedRef:         &corev1.ObjectReference{Name: seed.Name},
		},
	}
	if level, set := registration.Annotations[annotationPodSecurity]; set {
		installation.Annotations = map[string]string{annotationPodSecurity: level}
	}
	if deployment := registration.Spec.Deployment; deployment != nil && len(deployment.DeploymentRefs) > 0 {
		installation.Spec.DeploymentRef = &corev1.ObjectReference{Name: deployment.DeploymentRefs[0].Name}
	}
	return installation
}

func (r *Reconciler) setFinalizer(ctx context.Context, seed *gardencorev1beta1.Seed, wanted bool) error {
	seed = seed.DeepCopy()
	return client.IgnoreNotFound(patch.Metadata(ctx, r.Client, seed, func() {
		if wanted && seed.DeletionTimestamp == nil {
			controllerutil.AddFinalizer(seed, Finalizer)
		}
		if !wanted {
			controllerutil.RemoveFinalizer(seed, Finalizer)
		}
	}))
}
