package neighbours

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/appliance/store"
)

const frontDoor = "front-door"

// defaults is the configuration of a landscape without a file. Its front door has an address that no landscape uses by itself.
func defaults() *config.Landscape {
	cfg := &config.Landscape{}
	config.SetDefaults(cfg)
	cfg.FrontDoor.Address = "127.3.2.1"
	return cfg
}

func TestChoose(t *testing.T) {
	mine := Landscape{Name: "mine", StateDir: "/mine"}
	first, err := Choose(Choice{}, defaults(), mine, nil)
	if err != nil {
		t.Fatal(err)
	}
	other := Landscape{Name: "other", StateDir: "/other", Port: *first.Port, PodCIDR: first.PodCIDR, Services: first.ServiceCIDR}

	t.Run("APP-2 a new landscape has what no other one has, though the other one is stopped", func(t *testing.T) {
		chosen, err := Choose(Choice{}, defaults(), mine, []Landscape{other})
		if err != nil {
			t.Fatal(err)
		}
		if *chosen.Port == other.Port || chosen.PodCIDR == other.PodCIDR || chosen.ServiceCIDR == other.Services {
			t.Errorf("chosen %+v beside %+v", chosen, other)
		}
	})
	t.Run("APP-2 ranges of further seeds are not chosen", func(t *testing.T) {
		seeds := Landscape{Name: "seeds", StateDir: "/seeds", seeds: []store.Seed{{PodCIDR: first.PodCIDR}}}
		if chosen, err := Choose(Choice{}, defaults(), mine, []Landscape{seeds}); err != nil || chosen.PodCIDR == first.PodCIDR {
			t.Errorf("chosen %+v, %v", chosen, err)
		}
	})
	t.Run("APP-2 a landscape that exists keeps what it has", func(t *testing.T) {
		has := Landscape{Name: "mine", StateDir: "/mine", Port: 9443, PodCIDR: "127.77.0.0/16", Services: "127.111.0.0/16"}
		chosen, err := Choose(Choice{}, defaults(), has, []Landscape{other, has})
		if err != nil || *chosen.Port != 9443 || chosen.PodCIDR != has.PodCIDR || chosen.ServiceCIDR != has.Services {
			t.Errorf("chosen %+v, %v", chosen, err)
		}
	})
	t.Run("APP-2 what the user has chosen stays", func(t *testing.T) {
		given := Choice{Port: ptr.To[int32](0), PodCIDR: other.PodCIDR, ServiceCIDR: other.Services}
		if chosen, err := Choose(given, defaults(), mine, []Landscape{other}); err != nil || chosen != given {
			t.Errorf("chosen %+v, %v", chosen, err)
		}
	})
	t.Run("APP-2 the range that the user has not chosen is a free one", func(t *testing.T) {
		given := Choice{PodCIDR: "127.90.0.0/16"}
		chosen, err := Choose(given, defaults(), mine, []Landscape{other})
		if err != nil || chosen.PodCIDR != given.PodCIDR || chosen.ServiceCIDR == "" || chosen.ServiceCIDR == other.Services {
			t.Errorf("chosen %+v, %v", chosen, err)
		}
	})
	t.Run("APP-2 ports and ranges in which something listens are not chosen", func(t *testing.T) {
		for _, address := range []string{
			net.JoinHostPort("127.3.2.1", strconv.Itoa(int(*first.Port))),
			net.JoinHostPort(beside(first.PodCIDR, 0).Addr().Next().String(), "0"),
		} {
			listener, err := net.Listen("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Close()
		}
		chosen, err := Choose(Choice{}, defaults(), mine, nil)
		if err != nil || *chosen.Port == *first.Port || chosen.PodCIDR == first.PodCIDR {
			t.Errorf("chosen %+v, %v", chosen, err)
		}
	})
	t.Run("APP-2 no range is left", func(t *testing.T) {
		all := Landscape{StateDir: "/all", PodCIDR: "127.64.0.0/10"}
		if _, err := Choose(Choice{}, defaults(), mine, []Landscape{all}); err == nil {
			t.Error("no error")
		}
	})
	t.Run("a seed of containers has no ranges on this machine", func(t *testing.T) {
		cfg := defaults()
		cfg.Seed.Provider = config.ProviderKind
		if chosen, err := Choose(Choice{}, cfg, mine, nil); err != nil || chosen.PodCIDR != "" {
			t.Errorf("chosen %+v, %v", chosen, err)
		}
	})
}

func TestAll(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	if found, err := All(frontDoor); err != nil || len(found) != 0 {
		t.Fatalf("%+v, %v in a home without landscapes", found, err)
	}
	made := map[string]paths.Paths{}
	for _, name := range []string{"stopped", "starting", "empty"} {
		root, err := paths.DefaultRoot(name)
		if err != nil {
			t.Fatal(err)
		}
		if made[name], err = paths.New(root); err != nil {
			t.Fatal(err)
		}
		if err := made[name].Create(); err != nil {
			t.Fatal(err)
		}
	}
	s, err := store.Open(made["stopped"].Store())
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		s.SetIdentity(store.Identity{Name: "stopped", PodCIDR: "127.77.0.0/16", ServiceCIDR: "127.78.0.0/16"}), s.SetPort(frontDoor, 9443),
		s.SetSeed(store.Seed{Name: "two", PodCIDR: "127.79.0.0/20", ServiceCIDR: "127.80.0.0/20"}), s.Close(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	lock, err := daemon.Acquire(made["starting"].Lock())
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	cfg := defaults()
	cfg.Name = "starting"
	if _, err := state.SaveConfig(cfg, made["starting"]); err != nil {
		t.Fatal(err)
	}

	t.Run("APP-2 the port of a landscape is taken before its store has it", func(t *testing.T) {
		s, err := store.Open(made["starting"].Store())
		if err != nil {
			t.Fatal(err)
		}
		identity := store.Identity{Name: "starting", PodCIDR: cfg.Seed.PodCIDR, ServiceCIDR: cfg.Seed.ServiceCIDR}
		if err := errors.Join(s.SetIdentity(identity), s.Close()); err != nil {
			t.Fatal(err)
		}
		defer os.Remove(made["starting"].Store())
		if l, ok := Read(made["starting"], frontDoor); !ok || l.Port != 8443 || l.PodCIDR != "127.64.0.0/16" {
			t.Errorf("read %+v", l)
		}
	})

	found, err := All(frontDoor)
	if err != nil || len(found) != 2 {
		t.Fatalf("%+v, %v", found, err)
	}
	if l := found[0]; l.Name != "starting" || l.Process == 0 || l.PodCIDR != "127.64.0.0/16" || l.Port != 8443 {
		t.Errorf("a landscape that has not written its store: %+v", l)
	}
	if l := found[1]; l.Name != "stopped" || l.Process != 0 || l.PodCIDR != "127.77.0.0/16" || l.Port != 9443 || l.Provider != config.ProviderEmbedded {
		t.Errorf("a stopped landscape: %+v", l)
	}
	if ranges, err := Ranges(made["starting"], frontDoor); err != nil || len(ranges) != 4 {
		t.Errorf("ranges of the others: %v, %v", ranges, err)
	}
}

func TestTurn(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", filepath.Join(home, "not", "made", "yet"))
	end, err := Turn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	root, err := paths.DefaultRoot("first")
	if err := errors.Join(err, os.MkdirAll(root, 0o700)); err != nil { // as the one whose turn it is does
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := Turn(ctx); ctx.Err() == nil {
		t.Errorf("two have their turn at once: %v", err)
	}
	end()
	next, err := Turn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	next()
	if err := os.RemoveAll(filepath.Join(home, "not")); err != nil { // of the other start
		t.Fatal(err)
	}
	if left, err := os.ReadDir(home); err != nil || len(left) > 0 {
		t.Errorf("left in the home: %v, %v", left, err)
	}
}

func TestTwoThatChooseAtOnceGetDifferentRanges(t *testing.T) {
	mine := Landscape{StateDir: t.TempDir()}
	first, held, err := ChooseAndHold(Choice{}, defaults(), mine, nil)
	if err != nil {
		t.Fatal(err)
	}
	second, other, err := ChooseAndHold(Choice{}, defaults(), Landscape{StateDir: t.TempDir()}, nil) // of another home, so that it knows nobody
	if err != nil || second.PodCIDR == first.PodCIDR {
		t.Errorf("the range %s is chosen twice, %v", second.PodCIDR, err)
	}
	if _, err := hold(first.PodCIDR); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("range %s is held twice: %v", first.PodCIDR, err)
	}
	for _, closer := range []io.Closer{held, other} {
		if err := closer.Close(); err != nil {
			t.Fatal(err)
		}
	}
	mine.PodCIDR, mine.Services = first.PodCIDR, first.ServiceCIDR
	if again, held, err := ChooseAndHold(Choice{}, defaults(), mine, nil); err != nil || held != nil || again.PodCIDR != first.PodCIDR {
		t.Errorf("a landscape that has a range gets %s, %v, %v", again.PodCIDR, held, err)
	}
}
