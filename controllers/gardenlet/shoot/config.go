// Package shoot composes what the gardenlet does for the shoots of its seed: it drives their lifecycle and looks after those
// that run.
package shoot

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/clock"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/vpn"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Config says for whom and how. Fields without a default are required.
type Config struct {
	// SeedName is the seed whose shoots are acted on.
	SeedName string
	// GardenIdentity and SeedIdentity are the identities of the clusters. When empty they are read at the first need from
	// the config map cluster-identity in kube-system.
	GardenIdentity, SeedIdentity string
	// Gardener is what is written into the status of Shoots.
	Gardener gardencorev1beta1.Gardener

	// FrontDoorPort is where API servers of shoots are reached from outside of the seed. Default: 443.
	FrontDoorPort int
	// MachineServerPort is where machines reach them. Default: FrontDoorPort.
	MachineServerPort int
	// FrontDoorAddresses are what their names resolve to: IP addresses of one family, or one host name.
	// Default: 127.0.0.1.
	FrontDoorAddresses []string
	// FrontDoorLabels are what Gateways of shoots select, but of those of exposure classes: Gateways has those, by handler.
	FrontDoorLabels map[string]string
	Gateways        map[string]Gateway
	// Tunnel tells that the nodes of shoots are in a network that the seed's pods do not reach. It is made for them then.
	Tunnel bool
	// TunnelGates decide which of the ways into shoots the tunnel is.
	TunnelGates vpn.Gates
	// Images of system components of shoots; empty ones are the public ones.
	Images Images
	// DNSRecordTTL in seconds. Default: 120.
	DNSRecordTTL int64
	// ShootConfig turns the kubeconfig by which a shoot is reached from inside the seed into a configuration for clients.
	// Default: nothing is changed.
	ShootConfig func(kubeconfig []byte) (*rest.Config, error)

	// ConcurrentSyncs is how many Shoots are driven at a time. Default: 20.
	ConcurrentSyncs int
	// SyncPeriod is how often Shoots are reconciled that nobody has changed. Default: one hour.
	SyncPeriod time.Duration
	// NoAuthorityRotation leaves certificate authorities as they are, whatever is asked for.
	NoAuthorityRotation bool
	// RetryDuration is how long errors are retried. Default: twelve hours.
	RetryDuration time.Duration
	// ProgressPeriod is the least time between two reports of progress. Default: 500ms.
	ProgressPeriod time.Duration
	// RespectIgnore lets users, and not only operators, have their Shoots left alone.
	RespectIgnore bool

	Care CareConfig

	// Clock is for tests. Default: the real one.
	Clock clock.PassiveClock
}

// Images are those of system components of shoots.
type Images = flow.Images

// Gateway is a front door for shoots of an exposure class.
type Gateway = flow.Gateway

// CareConfig says how shoots are looked after.
type CareConfig struct {
	// ConcurrentSyncs is how many Shoots are looked after at a time. Default: 20.
	ConcurrentSyncs int
	// SyncPeriod is how often. Default: one minute.
	SyncPeriod time.Duration
	// Thresholds are how long conditions stay Progressing before they become False.
	Thresholds map[gardencorev1beta1.ConditionType]time.Duration
	// StaleExtensions is the age from which reports of extensions are not believed any more; zero believes all.
	StaleExtensions time.Duration
}

func (c Config) withDefaults() Config {
	fallback(&c.FrontDoorPort, 443)
	fallback(&c.MachineServerPort, c.FrontDoorPort)
	fallback(&c.DNSRecordTTL, 120)
	fallback(&c.ConcurrentSyncs, 20)
	fallback(&c.SyncPeriod, time.Hour)
	fallback(&c.RetryDuration, 12*time.Hour)
	fallback(&c.ProgressPeriod, 500*time.Millisecond)
	fallback(&c.Care.ConcurrentSyncs, 20)
	fallback(&c.Care.SyncPeriod, time.Minute)
	if len(c.FrontDoorAddresses) == 0 {
		c.FrontDoorAddresses = []string{"127.0.0.1"}
	}
	if c.ShootConfig == nil {
		c.ShootConfig = clientcmd.RESTConfigFromKubeConfig
	}
	if c.Clock == nil {
		c.Clock = clock.RealClock{}
	}
	return c
}

func fallback[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func (c Config) validate() error {
	var errs []error
	if c.SeedName == "" {
		errs = append(errs, errors.New("the name of the seed is missing"))
	}
	if c.FrontDoorPort < 1 || c.FrontDoorPort > 65535 {
		errs = append(errs, fmt.Errorf("front door port %d is none", c.FrontDoorPort))
	}
	for _, address := range c.FrontDoorAddresses {
		if net.ParseIP(address) == nil && (len(c.FrontDoorAddresses) > 1 || strings.TrimSpace(address) == "") {
			errs = append(errs, fmt.Errorf("front door address %q is neither one of several IP addresses nor one host name", address))
		}
	}
	return errors.Join(errs...)
}
