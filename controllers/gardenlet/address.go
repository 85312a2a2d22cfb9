package gardenlet

import (
	"net"
	"net/url"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/bootstrap"
)

// gardenForPods is where pods of the seed find the garden; nil if they cannot reach it. A loopback address would be the pod itself.
func (c Config) gardenForPods() *bootstrap.Garden {
	if c.GardenInSeed != nil {
		return &c.GardenInSeed.Garden
	}
	if c.Garden == nil {
		return nil
	}
	if server, err := url.Parse(c.Garden.Server); err != nil || net.ParseIP(server.Hostname()).IsLoopback() {
		return nil
	}
	return c.Garden
}
