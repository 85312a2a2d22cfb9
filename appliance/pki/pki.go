// Package pki makes and renews the certificate authorities, certificates and keys of a landscape's own servers: etcd, the
// garden and the runtime cluster. All keys are ECDSA P-256. Certificates of shoots are not made here but by the gardenlet.
package pki

import (
	"sync"
	"time"
)

// PKI makes and renews the files of one directory. Ensure may be called again at any time and renews what is due. Methods
// may be called from many goroutines.
type PKI struct {
	dir   string
	now   func() time.Time
	hosts Hosts

	mu       sync.Mutex
	complete bool // Ensure has made everything: a lasting key that is missing now was lost
}

// ApplianceUser is the landscape itself, in each of its clusters.
const ApplianceUser = "gardener.cloud:appliance"

// AuthorizationUser is the user in the certificate with which the garden's API server asks for authorizations. It has no
// rights of its own.
const AuthorizationUser = "gardener.cloud:authorization"

// Hosts are the names and addresses in certificates that depend on the landscape's configuration.
type Hosts struct {
	// GardenAPI are the names of the garden's API server, Seed those of the runtime cluster's API server. Loopback addresses
	// and in-cluster names are always added to both. Without GardenAPI, no certificates for a garden are made.
	GardenAPI, SeedAPI []string
	// GardenerAPI are names of the Gardener API server in addition to its in-cluster names and the loopback addresses.
	GardenerAPI []string
	// Metrics are names of the server of metrics in addition to the loopback addresses.
	Metrics []string
	// TokenWebhook is nil unless the garden has a webhook that verifies tokens.
	TokenWebhook *WebhookUsers
	// Node are names and addresses of the kubelet of the embedded seed.
	Node []string
	// Seed is the name of the seed. It is part of its node's user name.
	Seed string
}

// WebhookUsers are the names by which a webhook and its caller know each other.
type WebhookUsers struct{ Webhook, Caller string }

// New returns the PKI below dir. now is the clock, time.Now outside tests.
func New(dir string, hosts Hosts, now func() time.Time) *PKI {
	return &PKI{dir: dir, hosts: hosts, now: now}
}
