package state

import (
	"errors"
	"net"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/store"
)

func TestChoosePorts(t *testing.T) {
	s, err := store.Open(filepath.Join(t.TempDir(), "appliance.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	cfg := &config.Landscape{}
	config.SetDefaults(cfg)
	listeners := Listeners{FrontDoor: "front-door", Local: []string{"garden-apiserver", "gardener-apiserver", "etcd-main", "etcd-events", "dns"}}
	mine := claims{}
	defer mine.Close()
	first, err := choosePorts(cfg, s, listeners, mine)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("no connection to another port can take one of them", func(t *testing.T) {
		for name, port := range first {
			if name != listeners.FrontDoor && (port < lowestPort || port > highestPort) {
				t.Errorf("%s has port %d", name, port)
			}
		}
	})
	t.Run("no two parts get the same port, whatever the store says", func(t *testing.T) {
		if err := s.SetPort("dns", first["gardener-apiserver"]); err != nil {
			t.Fatal(err)
		}
		again, err := choosePorts(cfg, s, listeners, mine)
		if err != nil {
			t.Fatal(err)
		}
		if again["dns"] == again["gardener-apiserver"] || again["gardener-apiserver"] != first["gardener-apiserver"] {
			t.Errorf("ports %v, first %v", again, first)
		}
	})
	t.Run("the front door has its port before all others", func(t *testing.T) {
		port := first["etcd-main"]
		cfg.FrontDoor.Port = &port
		again, err := choosePorts(cfg, s, listeners, mine)
		if err != nil {
			t.Fatal(err)
		}
		if again["front-door"] != port || again["etcd-main"] == port {
			t.Errorf("ports %v", again)
		}
	})
}

// Two landscapes start at once: one has chosen its ports, and its servers do not listen yet.
func TestPortsOfTwoLandscapes(t *testing.T) {
	open := func() *store.Store {
		s, err := store.Open(filepath.Join(t.TempDir(), "appliance.db"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	cfg := &config.Landscape{}
	config.SetDefaults(cfg)
	cfg.FrontDoor.Port = new(int32)
	listeners := Listeners{FrontDoor: "front-door", Local: []string{"garden-apiserver", "scheduler"}}
	mine, theirs := claims{}, claims{}
	defer mine.Close()
	defer theirs.Close()
	first, err := choosePorts(cfg, open(), listeners, mine)
	if err != nil {
		t.Fatal(err)
	}
	other := open()
	if err := other.SetPorts(first); err != nil {
		t.Fatal(err)
	}
	t.Run("APP-2 a landscape does not take the ports that another one has chosen and does not use yet", func(t *testing.T) {
		second, err := choosePorts(cfg, other, listeners, theirs)
		if err != nil {
			t.Fatal(err)
		}
		for name, port := range second {
			if first.has(port) {
				t.Errorf("%s has port %d, too", name, port)
			}
		}
	})
	t.Run("APP-2 ports that nobody claims any more are kept", func(t *testing.T) {
		if err := mine.Close(); err != nil {
			t.Fatal(err)
		}
		if err := other.SetPorts(first); err != nil {
			t.Fatal(err)
		}
		second, err := choosePorts(cfg, other, listeners, theirs)
		if err != nil {
			t.Fatal(err)
		}
		for name, port := range second {
			if port != first[name] {
				t.Errorf("%s has port %d instead of %d", name, port, first[name])
			}
		}
	})
}

// TestClaim: other users see the name of a claim, since abstract sockets have no owner.
func TestClaim(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("ports are claimed on Linux only")
	}
	claimed, err := claim(1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := claim(1); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("APP-2 a second claim of the same port: %v", err)
	}
	if _, err := net.Dial("unix", "@gardener-up/port/1"); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("APP-19 somebody can connect to a claim: %v", err)
	}
	if err := claimed.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := claim(1)
	if err != nil {
		t.Fatalf("APP-2 a claim that was given up: %v", err)
	}
	_ = again.Close()
}
