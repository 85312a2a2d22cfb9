package state

import (
	"fmt"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/fault"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/store"
)

// newIdentity returns the identity of a landscape that is made with this configuration.
func newIdentity(cfg *config.Landscape) store.Identity {
	return store.Identity{
		Name: cfg.Name, ID: cfg.Name + "-" + string(uuid.NewUUID())[:8], Created: time.Now().UTC(), Domain: cfg.Domain,
		Seed: cfg.Seed.Name, Provider: cfg.Seed.Provider, PodCIDR: cfg.Seed.PodCIDR, ServiceCIDR: cfg.Seed.ServiceCIDR,
		Nodes: cfg.Seed.Nodes,
	}
}

// nodes is the number of nodes of a seed as text. Seeds that were made before it could be chosen have one.
func nodes(n int32) string { return strconv.Itoa(int(max(n, 1))) }

// StoredIdentity reads which landscape the state directory belongs to. It is empty if the directory belongs to none yet.
func StoredIdentity(p paths.Paths) (store.Identity, error) {
	s, err := store.Read(p.Store())
	if err != nil {
		return store.Identity{}, err
	}
	defer s.Close()
	id, _, err := s.Identity()
	return id, err
}

// Same refuses a configuration that contradicts the landscape's identity.
func Same(cfg *config.Landscape, id store.Identity) error {
	provider := id.Provider
	if provider == "" {
		provider = config.ProviderEmbedded
	}
	for _, setting := range []struct{ key, want, have string }{
		{"name", cfg.Name, id.Name}, {"domain", cfg.Domain, id.Domain}, {"seed.name", cfg.Seed.Name, id.Seed},
		{"seed.provider", cfg.Seed.Provider, provider},
		{"seed.nodes", nodes(cfg.Seed.Nodes), nodes(id.Nodes)},
		{"seed.podCIDR", cfg.Seed.PodCIDR, id.PodCIDR}, {"seed.serviceCIDR", cfg.Seed.ServiceCIDR, id.ServiceCIDR},
	} {
		if setting.want != setting.have {
			err := fmt.Errorf("it belongs to a landscape with %s %q, not %q, and that cannot be changed", setting.key, setting.have, setting.want)
			return fault.New(fault.Changed, err)
		}
	}
	return nil
}
