// Package oidc deploys the webhook that verifies tokens of the OpenIDConnects of a shoot.
package oidc

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubeapiserver"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/oidcwebhook"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	oidcv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/openidconnect/v1alpha1"
)

// Webhook is deployed if the status of an Extension of the shoot asks for it.
type Webhook struct {
	// Extensions are those that the shoot needs.
	Extensions []operation.Extension
	// AllowedIssuerHosts, RefusedRanges and PrivateNetworks say which issuers the webhook may call.
	AllowedIssuerHosts, RefusedRanges, PrivateNetworks []string

	Space    seed.Space
	Replicas int32
}

// ForAPIServer returns how kube-apiserver calls the webhook, nil if there is none.
func (w Webhook) ForAPIServer(ctx context.Context, made credentials.Made) (*kubeapiserver.TokenWebhook, error) {
	if wanted, err := w.wanted(ctx); err != nil || !wanted {
		return nil, err
	}
	kubeconfig, err := oidcwebhook.CallerKubeconfig(ctx, made.Manager)
	if err != nil {
		return nil, err
	}
	return &kubeapiserver.TokenWebhook{Service: oidcwebhook.Name, Port: oidcwebhook.Port, Kubeconfig: kubeconfig}, nil
}

// Reconcile deploys the webhook, or removes it if nothing asks for it any more.
func (w Webhook) Reconcile(ctx context.Context, made credentials.Made) error {
	wanted, err := w.wanted(ctx)
	if err != nil {
		return err
	}
	if !wanted {
		if err := w.Delete(ctx); err != nil {
			return err
		}
		return w.Space.DeleteManaged(ctx, oidcwebhook.Resource)
	}
	secrets, err := oidcwebhook.GenerateSecrets(ctx, made.Manager)
	if err != nil {
		return err
	}
	objects, _ := oidcwebhook.Objects(oidcwebhook.Values{
		Namespace: w.Space.Name, Image: w.Space.Image, Replicas: w.Replicas, Secrets: secrets, AllowedIssuerHosts: w.AllowedIssuerHosts, RefusedRanges: w.RefusedRanges,
		PrivateNetworks: w.PrivateNetworks,
	})
	if err := w.Space.ApplyAll(ctx, objects...); err != nil {
		return err
	}
	inShoot, err := oidcwebhook.ClusterObjects()
	if err != nil {
		return err
	}
	return w.Space.DeployManaged(ctx, oidcwebhook.Resource, false, inShoot...)
}

// Delete deletes the objects in the seed.
func (w Webhook) Delete(ctx context.Context) error {
	if err := w.Space.DeleteDeployment(ctx, oidcwebhook.Name); err != nil {
		return err
	}
	return w.Space.Delete(ctx, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: oidcwebhook.Name, Namespace: w.Space.Name}})
}

func (w Webhook) wanted(ctx context.Context) (bool, error) {
	if !slices.ContainsFunc(w.Extensions, func(e operation.Extension) bool { return e.Type == oidcv1alpha1.ExtensionType }) {
		return false, nil
	}
	extension := &extensionsv1alpha1.Extension{}
	key := client.ObjectKey{Namespace: w.Space.Name, Name: oidcv1alpha1.ExtensionType}
	if err := w.Space.Client.Get(ctx, key, extension); client.IgnoreNotFound(err) != nil {
		return false, fmt.Errorf("read extension %s: %w", key, err)
	}
	status := extension.Status.ProviderStatus
	if status == nil {
		return false, nil
	}
	service := oidcv1alpha1.Service{}
	err := json.Unmarshal(status.Raw, &service) // a document of another provider may be anything
	return err == nil && service.APIVersion == oidcv1alpha1.SchemeGroupVersion.String() && service.Kind == oidcv1alpha1.KindService, nil
}
