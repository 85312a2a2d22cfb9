package local

import (
	"context"
	"fmt"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	providerwebhook "github.com/gardener-up/gardener-up/providers/webhook"
)

// Leave removes from a cluster what the provider has registered there and nothing else removes: its webhook. The cluster is not a seed any
// more, and the manager of AddToManager has ended. Leave may be repeated.
func Leave(ctx context.Context, access *rest.Config) error {
	c, err := client.New(access, client.Options{})
	if err != nil {
		return fmt.Errorf("leave the seed: %w", err)
	}
	return providerwebhook.Remove(ctx, c, providerwebhook.Options{Provider: Name})
}
