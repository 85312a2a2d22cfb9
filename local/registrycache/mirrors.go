package registrycache

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// Mirrors make the nodes of a Shoot ask its caches first. It returns none if the Shoot has no caches.
func Mirrors(ctx context.Context, reader client.Reader, namespace string) ([]extensionsv1alpha1.RegistryConfig, error) {
	extension := &extensionsv1alpha1.Extension{}
	err := reader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: Type}, extension)
	if apierrors.IsNotFound(err) || err == nil && extension.DeletionTimestamp != nil {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read extension %s: %w", Type, err)
	}
	status := stateOf(extension)
	var out []extensionsv1alpha1.RegistryConfig
	for _, cache := range status.Caches {
		server := cache.RemoteURL
		out = append(out, extensionsv1alpha1.RegistryConfig{
			Upstream: cache.Upstream, Server: &server, Hosts: []extensionsv1alpha1.RegistryHost{{URL: cache.Endpoint}},
		})
	}
	return out, nil
}
