package gardenkeys

import (
	"time"

	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
)

// Tokens is the key of service accounts.
type Tokens struct {
	Files pki.Rotation
	// Server reads the keys of the garden's API server again.
	Server interface{ Load() error }
}

var _ host.ServiceAccountKey = Tokens{}

// Renew implements host.ServiceAccountKey.
func (t Tokens) Renew(began time.Time) error {
	if err := t.Files.NewServiceAccountKey(pki.RotationName(began)); err != nil {
		return err
	}
	return t.Server.Load()
}

// DropFormer implements host.ServiceAccountKey.
func (t Tokens) DropFormer() error {
	if err := t.Files.DropServiceAccountKeys(); err != nil {
		return err
	}
	return t.Server.Load()
}
