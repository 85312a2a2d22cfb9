package config

import (
	"net"
	"strconv"

	gardenletconfig "github.com/gardener-up/gardener-up/controllers/gardenlet/config"
)

// HandlerFrontDoors are the addresses host:port of the front doors of exposure classes, by handler. It is nil without
// handlers. The configuration has to be valid; port is the port of the usual front door.
func (l *Landscape) HandlerFrontDoors(port int32) map[string]string {
	if len(l.Gardenlet) == 0 {
		return nil
	}
	gardenlet, err := gardenletconfig.Parse(l.Gardenlet)
	if err != nil || len(gardenlet.ExposureClassHandlers) == 0 { // an error: the configuration is invalid
		return nil
	}
	doors := map[string]string{}
	for _, handler := range gardenlet.ExposureClassHandlers {
		doors[handler.Name] = net.JoinHostPort(handler.Address(), strconv.Itoa(int(port)))
	}
	return doors
}
