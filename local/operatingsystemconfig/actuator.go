// Package operatingsystemconfig renders OperatingSystemConfigs into the document that the provider's machines boot from, or into the format of the
// operating system if spec.reloadConfigFilePath asks for a command that applies the result. It adds the files and units that the operating system
// needs. It knows nothing of shoots and of the provider: the provider changes the content with its webhook.
package operatingsystemconfig

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// secretPrefix is followed by the name of the OperatingSystemConfig.
const secretPrefix = "osc-result-"

// Actuator renders into Secrets beside the objects.
type Actuator struct {
	// Client of the seed.
	Client client.Client
	// Reader of the seed without a cache, because the Secrets are written right before the object.
	Reader client.Reader
}

// Contract makes the actuator of the contract.
func (a *Actuator) Contract() contract.OperatingSystemConfigActuator {
	return contract.Simple[*extensionsv1alpha1.OperatingSystemConfig]{Apply: a.apply, Remove: a.remove}
}

func (a *Actuator) apply(ctx context.Context, _ *contract.Cluster, osc *extensionsv1alpha1.OperatingSystemConfig) error {
	extra := systemOf(osc.Spec.Type)
	osc.Status.ExtensionUnits, osc.Status.ExtensionFiles = extra.units, extra.files
	spec := complete(osc.Spec, extra.units, extra.files)
	data, err := render(&spec, func(name, key string) ([]byte, error) {
		return a.read(ctx, osc.Namespace, name, key)
	})
	if err != nil {
		return err
	}
	secret := resultSecret(osc)
	if _, err := controllerutil.CreateOrUpdate(ctx, a.Client, secret, func() error {
		secret.Type = corev1.SecretTypeOpaque
		secret.Data = map[string][]byte{extensionsv1alpha1.OperatingSystemConfigSecretDataKey: data}
		return controllerutil.SetControllerReference(osc, secret, a.Client.Scheme())
	}); err != nil {
		return fmt.Errorf("write secret %s: %w", secret.Name, err)
	}
	report(&osc.Status, &spec)
	osc.Status.CloudConfig = &extensionsv1alpha1.CloudConfig{
		SecretRef: corev1.SecretReference{Name: secret.Name, Namespace: secret.Namespace},
	}
	return nil
}

func (a *Actuator) remove(ctx context.Context, _ *contract.Cluster, osc *extensionsv1alpha1.OperatingSystemConfig) error {
	secret := resultSecret(osc)
	if err := a.Client.Delete(ctx, secret); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete secret %s: %w", secret.Name, err)
	}
	return nil
}

func (a *Actuator) read(ctx context.Context, namespace, name, key string) ([]byte, error) {
	secret := &corev1.Secret{}
	if err := a.Reader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, secret); err != nil {
		return nil, fmt.Errorf("read secret %s: %w", name, err)
	}
	data, ok := secret.Data[key]
	if !ok {
		return nil, fmt.Errorf("secret %s has no key %q", name, key)
	}
	return data, nil
}

func resultSecret(osc *extensionsv1alpha1.OperatingSystemConfig) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: osc.Namespace, Name: secretPrefix + osc.Name}}
}
