package state

import (
	"path/filepath"
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
	first, err := choosePorts(cfg, s, listeners)
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
		again, err := choosePorts(cfg, s, listeners)
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
		again, err := choosePorts(cfg, s, listeners)
		if err != nil {
			t.Fatal(err)
		}
		if again["front-door"] != port || again["etcd-main"] == port {
			t.Errorf("ports %v", again)
		}
	})
}
