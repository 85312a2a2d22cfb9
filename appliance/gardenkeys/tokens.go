package gardenkeys

import (
	"time"

	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
)

// Tokens is the key of service accounts.
type Tokens struct {
	Files Files
	// Server reads the keys of the garden's API server again.
	Server interface{ Load() error }
}

var _ host.ServiceAccountKey = Tokens{}

// Renew implements host.ServiceAccountKey.
func (t Tokens) Renew(began time.Time) error {
	err := t.Files.change(func(files pki.Rotation) error { return files.NewServiceAccountKey(pki.RotationName(began)) })
	if err != nil {
		return err
	}
	return t.Server.Load()
}

// DropFormer implements host.ServiceAccountKey.
func (t Tokens) DropFormer() error {
	if err := t.Files.change(pki.Rotation.DropServiceAccountKeys); err != nil {
		return err
	}
	return t.Server.Load()
}
