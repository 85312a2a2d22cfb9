package gardenlets

import (
	"context"
	"fmt"
	"os"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/bootstrap"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/config"
	"github.com/gardener-up/gardener-up/embedded/apihelper/bootstraptoken"
)

// tokenLifetime covers one certificate request that somebody has to approve by hand.
const tokenLifetime = 20 * time.Minute

// Invitation lets the gardenlet of a seed log in to the garden for the first time: a bootstrap token in the garden, and a kubeconfig
// with that token in the seed.
type Invitation struct {
	Seed       string                        // its name
	Garden     client.Client                 // of an administrator
	SeedClient client.Client                 // of an administrator
	Address    bootstrap.Garden              // of the garden
	Connection config.GardenClientConnection // names the Secret in the seed
	Clock      clock.PassiveClock
}

// Write replaces the invitation. The former token is invalid from then on. The token can request the certificate of this seed only.
func (i Invitation) Write(ctx context.Context) error {
	if i.Connection.BootstrapKubeconfig == nil {
		return nil // the gardenlet says what it misses
	}
	token := bootstraptoken.New(
		bootstraptoken.ID("", i.Seed), fmt.Sprintf("Bootstrap token for the gardenlet of Seed %q", i.Seed), i.Clock.Now().Add(tokenLifetime))
	former := token.DeepCopy()
	former.Data = nil
	if err := i.Garden.Delete(ctx, former); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete former bootstrap token of seed %q: %w", i.Seed, err)
	}
	if err := i.Garden.Create(ctx, token); err != nil {
		return fmt.Errorf("create bootstrap token of seed %q: %w", i.Seed, err)
	}
	kubeconfig, err := i.Address.TokenKubeconfig(bootstraptoken.Token(token))
	if err != nil {
		return fmt.Errorf("make bootstrap kubeconfig of seed %q: %w", i.Seed, err)
	}
	return bootstrap.Write(ctx, i.SeedClient, *i.Connection.BootstrapKubeconfig, kubeconfig)
}

// Address returns the address and the CA of the garden from the client configuration.
func Address(garden *rest.Config) (bootstrap.Garden, error) {
	address := bootstrap.Garden{Server: garden.Host, ServerName: garden.ServerName, CA: garden.CAData}
	if garden.CAFile == "" {
		return address, nil
	}
	ca, err := os.ReadFile(garden.CAFile)
	if err != nil {
		return address, fmt.Errorf("read CA of the garden: %w", err)
	}
	address.CA = ca
	return address, nil
}
