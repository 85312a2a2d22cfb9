// Package flow turns the wish for a shoot into steps: one file for every phase of a shoot, and one page for each of
// reconciliation and deletion that puts the steps in order. It decides neither when a flow runs nor what its outcome means;
// that is up to the controller of the Shoot.
//
// Every step may run at any time again, also after the process was killed in the middle of it.
package flow

import (
	"fmt"

	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/extension"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/frontdoor"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubeapiserver"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/vpn"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/status"
	graph "github.com/gardener-up/gardener-up/controllers/internal/flow"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// Owner is the field manager of what the gardenlet applies.
const Owner = client.FieldOwner("gardenlet")

// Config is what a plan is made of.
type Config struct {
	Operation *operation.Operation
	Status    *status.Writer
	// Garden writes to the garden; GardenReader reads there without a cache.
	Garden       client.Client
	GardenReader client.Reader
	// SeedClient reads without a cache.
	SeedClient client.WithWatch
	Clock      clock.PassiveClock
	// SeedIdentity is the identity of the seed cluster.
	SeedIdentity string
	// FrontDoorPort is where clients outside of the seed reach API servers, FrontDoorAddresses what their names
	// resolve to: IP addresses, or one host name.
	FrontDoorPort int
	// MachineServerPort is where machines reach them, unless their gateway has ports of its own.
	MachineServerPort  int
	FrontDoorAddresses []string
	// Gateways are the front doors for shoots of exposure classes, by handler, FrontDoorLabels what Gateways of all others
	// select.
	Gateways        map[string]Gateway
	FrontDoorLabels map[string]string
	// Tunnel tells that nodes are not in a network that the seed's pods reach.
	Tunnel bool
	// TunnelGates decide which of the ways into shoots the tunnel is.
	TunnelGates vpn.Gates
	// Images of what runs in the shoot.
	Images Images
	// DNSRecordTTL in seconds.
	DNSRecordTTL int64
	// ShootConfig turns the kubeconfig of the shoot into a configuration for clients.
	ShootConfig func(kubeconfig []byte) (*rest.Config, error)
	// Facts are what the seed already has of the shoot.
	Facts Facts
}

// Images are those of system components of the shoot that are not part of this binary. Empty ones are the public ones.
type Images struct{ KubeProxy, CoreDNS string }

// Gateway is a front door.
type Gateway struct {
	// Labels are what Gateways for it select.
	Labels map[string]string
	// Addresses are what names of API servers behind it resolve to.
	Addresses []string
	// Ports are where nodes of shoots reach it; zero for MachineServerPort and the usual ones.
	Ports frontdoor.Ports
}

// Plan holds what steps leave for later ones. A step reads only what was written by steps it comes after.
type Plan struct {
	Config
	*operation.Operation

	namespace string
	seed      patch.Applier
	garden    patch.Applier
	objects   extension.Objects

	secrets           *secretsmanager.Manager
	vpn               vpn.Secrets
	apiServerIP       string
	infrastructure    *extensionsv1alpha1.Infrastructure
	apiServer         kubeapiserver.Values
	userData          map[string]*extensionsv1alpha1.OperatingSystemConfig // by worker pool
	stamps            stamps
	shoot             client.WithWatch
	shootConfig       *rest.Config
	genericKubeconfig string
}

// New makes a plan. It does nothing yet.
func New(config Config) *Plan {
	p := &Plan{Config: config, Operation: config.Operation, namespace: config.Operation.TechnicalID()}
	p.seed = patch.Applier{Client: config.SeedClient, Owner: Owner}
	p.garden = patch.Applier{Client: config.Garden, Owner: Owner}
	p.objects = extension.Objects{Client: config.SeedClient, Applier: p.seed, Clock: config.Clock}
	p.userData = map[string]*extensionsv1alpha1.OperatingSystemConfig{}
	return p
}

// Secrets is the manager of the shoot's secrets, nil before they are initialized.
func (p *Plan) Secrets() *secretsmanager.Manager { return p.secrets }

// build checks the steps; a mistake in them is one of the programmer, told as an error all the same.
func build(name string, steps []graph.Step) (*graph.Graph, error) {
	out, err := graph.New(name, steps...)
	if err != nil {
		return nil, fmt.Errorf("build flow: %w", err)
	}
	return out, nil
}
