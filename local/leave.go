package local

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/local/shootwebhook"
	providerwebhook "github.com/gardener-up/gardener-up/providers/webhook"
)

// leaveTimeout is how long a cluster may take to answer. It may be gone.
const leaveTimeout = time.Minute

// Leave removes from a cluster what the provider has registered there and nothing else removes: its webhook, and the server of its
// webhooks for shoots. The cluster is not a seed any
// more, and the manager of AddToManager has ended. Leave may be repeated.
func Leave(ctx context.Context, access *rest.Config) error {
	ctx, cancel := context.WithTimeout(ctx, leaveTimeout)
	defer cancel()
	access = rest.CopyConfig(access)
	access.Timeout = leaveTimeout // the discovery of kinds knows no context
	c, err := client.New(access, client.Options{})
	if err != nil {
		return fmt.Errorf("leave the seed: %w", err)
	}
	return errors.Join(providerwebhook.Remove(ctx, c, providerwebhook.Options{Provider: Name}), shootwebhook.Remove(ctx, c))
}
