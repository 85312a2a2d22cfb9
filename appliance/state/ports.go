package state

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/store"
)

// Listeners are the names of listeners. The store remembers their ports by these names.
type Listeners struct {
	// FrontDoor listens at the address and port of the configuration.
	FrontDoor string
	// Local listen on 127.0.0.1.
	Local []string
	// Published are ports that a container engine publishes on 127.0.0.1. A container keeps its ports, so they are in use
	// already when the landscape starts again.
	Published []string
}

// Ports maps the names of listeners to their ports. They are chosen once and kept, so that kubeconfigs stay valid.
type Ports map[string]int32

// choosePorts reuses the ports in the store unless another process uses or claims them. It claims what it chooses.
func choosePorts(cfg *config.Landscape, s *store.Store, listeners Listeners, claimed claims) (Ports, error) {
	chosen := Ports{}
	if port := *cfg.FrontDoor.Port; port != 0 { // first, so that no other listener gets this port
		chosen[listeners.FrontDoor] = port
	} else if err := chosen.choose(s, listeners.FrontDoor, place{host: cfg.FrontDoor.Address, claims: claimed}); err != nil {
		return nil, err
	}
	for _, name := range listeners.Local {
		if err := chosen.choose(s, name, place{host: localhost, claims: claimed}); err != nil {
			return nil, err
		}
	}
	for _, name := range listeners.Published {
		if err := chosen.publish(s, name, claimed); err != nil {
			return nil, err
		}
	}
	return chosen, s.SetPorts(chosen)
}

const localhost = "127.0.0.1"

// Publish chooses a port that a container engine publishes. A port in the store is kept even while it is in use. The container is made
// next, so the port is claimed for the choice only.
func (p Ports) Publish(s *store.Store, name string) (err error) {
	claimed := claims{}
	defer func() { err = errors.Join(err, claimed.Close()) }()
	if err := p.publish(s, name, claimed); err != nil {
		return err
	}
	return s.SetPort(name, p[name])
}

func (p Ports) publish(s *store.Store, name string, claimed claims) error {
	return p.choose(s, name, place{host: localhost, claims: claimed, published: true})
}

// place is where a listener listens.
type place struct {
	host string
	claims
	// published is a port of a container, which has it already when the landscape starts again.
	published bool
}

// keeps reports whether the port in the store is still good, and claims it.
func (l place) keeps(port int32) bool { return l.published || l.takes(port) == nil }

// takes claims a port at which nobody listens.
func (l place) takes(port int32) error {
	if !l.take(port) {
		return errClaimed
	}
	err := Probe(net.JoinHostPort(l.host, strconv.Itoa(int(port))))
	if err != nil {
		err = errors.Join(err, l.release(port))
	}
	return err
}

var errClaimed = errors.New("another landscape has claimed the port")

// Local is host:port of a listener on 127.0.0.1.
func (p Ports) Local(name string) string { return net.JoinHostPort(localhost, p.text(name)) }

// URL is the URL of a server on 127.0.0.1.
func (p Ports) URL(name string) string { return "https://" + p.Local(name) }

// portAttempts limits the search for a port that is free, and for one that no other listener of the landscape has.
const portAttempts = 100

// choose keeps the port in the store if it is still free, or finds another one.
func (p Ports) choose(s *store.Store, name string, at place) error {
	port, err := s.Port(name)
	if err != nil {
		return err
	}
	if port != 0 && !p.has(port) && at.keeps(port) {
		p[name] = port
		return nil
	}
	for range portAttempts {
		if port, err = at.free(); err != nil {
			return fmt.Errorf("find a free port for %s: %w", name, err)
		}
		if !p.has(port) {
			p[name] = port
			return nil
		}
	}
	return fmt.Errorf("find a free port for %s: all of %d attempts returned ports of other parts", name, portAttempts)
}

func (p Ports) has(port int32) bool {
	for _, taken := range p {
		if taken == port {
			return true
		}
	}
	return false
}

func (p Ports) text(name string) string { return strconv.Itoa(int(p[name])) }

// Probe listens at an address for a moment. The error says why listening is impossible.
func Probe(address string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	return listener.Close()
}

// Ports are chosen from this range. It lies below the ports that the kernel gives to outgoing connections (from 32768 on with
// Linux, from 49152 on elsewhere) and below the usual node ports (from 30000 on), so that no connection takes a chosen port
// before its server listens.
const (
	lowestPort  = 20000
	highestPort = 29999
)

// free finds a port and claims it.
func (l place) free() (port int32, err error) {
	for range portAttempts {
		port = lowestPort + rand.Int32N(highestPort-lowestPort+1)
		if err = l.takes(port); err == nil {
			return port, nil
		}
	}
	return 0, err
}
