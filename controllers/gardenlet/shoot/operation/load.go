package operation

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	securityv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
)

// Load reads the objects that the Shoot refers to. The reader should not be a cache, since some of them are Secrets.
func Load(ctx context.Context, garden client.Reader, shoot *gardencorev1beta1.Shoot, seedName, gardenIdentity string) (*Operation, error) {
	op := &Operation{Shoot: shoot, GardenIdentity: gardenIdentity, Seed: &gardencorev1beta1.Seed{}}
	if err := garden.Get(ctx, client.ObjectKey{Name: seedName}, op.Seed); err != nil {
		return nil, fmt.Errorf("read seed %q: %w", seedName, err)
	}
	var err error
	if op.Project, err = projectOf(ctx, garden, shoot.Namespace); err != nil {
		return nil, err
	}
	if op.CloudProfile, err = cloudProfileOf(ctx, garden, shoot); err != nil {
		return nil, err
	}
	if op.ExposureClass, err = exposureClassOf(ctx, garden, shoot); err != nil {
		return nil, err
	}
	if err := op.loadCredentials(ctx, garden); err != nil {
		return nil, err
	}
	registrations := &gardencorev1beta1.ControllerRegistrationList{}
	if err := garden.List(ctx, registrations); err != nil {
		return nil, fmt.Errorf("list controller registrations: %w", err)
	}
	op.Extensions = RequiredExtensions(shoot, registrations.Items)
	if err := op.loadDomains(ctx, garden); err != nil {
		return nil, err
	}
	return op, nil
}

func projectOf(ctx context.Context, garden client.Reader, namespace string) (string, error) {
	object := &corev1.Namespace{}
	if err := garden.Get(ctx, client.ObjectKey{Name: namespace}, object); err != nil {
		return "", fmt.Errorf("read namespace %q of the shoot: %w", namespace, err)
	}
	project := object.Labels[constants.ProjectName]
	if project == "" {
		return "", fmt.Errorf("namespace %q of the shoot belongs to no project", namespace)
	}
	return project, nil
}

// cloudProfileOf returns a NamespacedCloudProfile as a CloudProfile, since extensions know no other kind.
func cloudProfileOf(ctx context.Context, garden client.Reader, shoot *gardencorev1beta1.Shoot) (*gardencorev1beta1.CloudProfile, error) {
	name := ptr.Deref(shoot.Spec.CloudProfileName, "")
	if ref := shoot.Spec.CloudProfile; ref != nil {
		name = ref.Name
		if ref.Kind == "NamespacedCloudProfile" {
			namespaced := &gardencorev1beta1.NamespacedCloudProfile{}
			if err := garden.Get(ctx, client.ObjectKey{Namespace: shoot.Namespace, Name: name}, namespaced); err != nil {
				return nil, fmt.Errorf("read namespaced cloud profile %q: %w", name, err)
			}
			return &gardencorev1beta1.CloudProfile{
				ObjectMeta: metav1.ObjectMeta{Name: namespaced.Name, Namespace: namespaced.Namespace, UID: namespaced.UID, Generation: namespaced.Generation},
				Spec:       namespaced.Status.CloudProfileSpec,
			}, nil
		}
	}
	profile := &gardencorev1beta1.CloudProfile{}
	if err := garden.Get(ctx, client.ObjectKey{Name: name}, profile); err != nil {
		return nil, fmt.Errorf("read cloud profile %q: %w", name, err)
	}
	return profile, nil
}

// exposureClassOf also returns nil for a shoot that is being deleted and whose class is already gone.
func exposureClassOf(ctx context.Context, garden client.Reader, shoot *gardencorev1beta1.Shoot) (*gardencorev1beta1.ExposureClass, error) {
	name := ptr.Deref(shoot.Spec.ExposureClassName, "")
	if name == "" {
		return nil, nil
	}
	class := &gardencorev1beta1.ExposureClass{}
	if err := garden.Get(ctx, client.ObjectKey{Name: name}, class); err != nil {
		if shoot.DeletionTimestamp != nil {
			err = client.IgnoreNotFound(err)
		}
		if err != nil {
			err = fmt.Errorf("read exposure class %q: %w", name, err)
		}
		return nil, err
	}
	return class, nil
}

func (o *Operation) loadCredentials(ctx context.Context, garden client.Reader) (err error) {
	o.Credentials, err = credentialsOf(ctx, garden, o.Shoot)
	if o.KeepCredentials = err != nil && (helper.DeletionIsForced(o.Shoot) || o.Shoot.DeletionTimestamp != nil && Refused(err)); o.KeepCredentials {
		return nil
	}
	return err
}

// credentialsOf returns the credentials in the SecretBinding or CredentialsBinding of the Shoot.
func credentialsOf(ctx context.Context, garden client.Reader, shoot *gardencorev1beta1.Shoot) (*corev1.Secret, error) {
	var key client.ObjectKey
	switch {
	case ptr.Deref(shoot.Spec.CredentialsBindingName, "") != "":
		binding := &securityv1alpha1.CredentialsBinding{}
		name := client.ObjectKey{Namespace: shoot.Namespace, Name: *shoot.Spec.CredentialsBindingName}
		if err := garden.Get(ctx, name, binding); err != nil {
			return nil, fmt.Errorf("read credentials binding %q: %w", name, err)
		}
		if binding.CredentialsRef.Kind != "Secret" {
			return nil, fmt.Errorf("credentials binding %q refers to a %s, only Secrets are supported", name, binding.CredentialsRef.Kind)
		}
		key = client.ObjectKey{Namespace: binding.CredentialsRef.Namespace, Name: binding.CredentialsRef.Name}
	case ptr.Deref(shoot.Spec.SecretBindingName, "") != "":
		binding := &gardencorev1beta1.SecretBinding{}
		name := client.ObjectKey{Namespace: shoot.Namespace, Name: *shoot.Spec.SecretBindingName}
		if err := garden.Get(ctx, name, binding); err != nil {
			return nil, fmt.Errorf("read secret binding %q: %w", name, err)
		}
		key = client.ObjectKey{Namespace: binding.SecretRef.Namespace, Name: binding.SecretRef.Name}
	default:
		return nil, nil
	}
	if key.Namespace == "" {
		key.Namespace = shoot.Namespace
	}
	secret, err := ReadSecret(ctx, garden, key)
	if err != nil {
		return nil, fmt.Errorf("credentials of the infrastructure: %w", err)
	}
	return secret, nil
}
