// Package neighbours finds the landscapes of this user on this machine, and chooses for a new one what two landscapes cannot share:
// the address ranges of its seed and the port of its front door. It finds landscapes whose state directory has its usual place.
// Those in other places are noticed only while they run, by the addresses at which they listen.
package neighbours

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/appliance/store"
)

// Landscape is what the state directory of a landscape tells.
type Landscape struct {
	Name     string `json:"name"`
	Process  int    `json:"process,omitempty"` // ID of the daemon; 0 if the landscape does not run
	Provider string `json:"provider,omitempty"`
	// Port of the front door; 0 if it was not chosen yet.
	Port     int32  `json:"frontDoorPort,omitempty"`
	PodCIDR  string `json:"podCIDR,omitempty"`
	Services string `json:"serviceCIDR,omitempty"`
	StateDir string `json:"stateDir"`
	// Paused is since when it is paused; nil unless it is.
	Paused *time.Time `json:"paused,omitempty"`
	// Problem says why the rest is not known.
	Problem string `json:"problem,omitempty"`

	nodes int32 // of the first seed
	seeds []store.Seed
}

// Nodes is the number of nodes of the first seed; 0 if the landscape is new or has no such number.
func (l Landscape) Nodes() int32 { return l.nodes }

// All reads the landscapes whose state directories are in the usual place, sorted by name. frontDoor is the name of the front door's
// port in the store.
func All(frontDoor string) ([]Landscape, error) {
	any, err := paths.DefaultRoot("*")
	if err != nil {
		return []Landscape{}, nil // a user without a home has no usual place
	}
	entries, err := os.ReadDir(filepath.Dir(any))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("find landscapes: %w", err)
	}
	found := []Landscape{}
	for _, entry := range entries {
		p, err := paths.New(filepath.Join(filepath.Dir(any), entry.Name()))
		if err != nil {
			return nil, err
		}
		if l, ok := Read(p, frontDoor); ok {
			found = append(found, l)
		}
	}
	slices.SortFunc(found, func(a, b Landscape) int { return cmp.Compare(a.Name, b.Name) })
	return found, nil
}

// Read reads a state directory. ok is false if no landscape is in it.
func Read(p paths.Paths, frontDoor string) (_ Landscape, ok bool) {
	l := Landscape{Name: filepath.Base(p.Root()), StateDir: p.Root()}
	pid, err := daemon.Holder(p.Lock())
	if err != nil {
		l.Problem = err.Error()
	}
	l.Process = pid
	if pause, paused := state.Paused(p); paused && pid == 0 {
		l.Paused = &pause.Since
	}
	err = l.read(p, frontDoor)
	switch {
	case l.Process != 0 && (l.PodCIDR == "" || l.Port == 0): // it writes the port some time after its identity
		l.starting(p)
	case errors.Is(err, fs.ErrNotExist):
		return l, false
	case err != nil:
		l.Problem = err.Error()
	}
	return l, true
}

// starting takes from the saved configuration what a landscape that has just been started has not written to its store yet.
func (l *Landscape) starting(p paths.Paths) {
	cfg, err := state.SavedConfig(p)
	if err != nil {
		l.Problem = "it is starting"
		return
	}
	l.nodes = cfg.Seed.Nodes
	l.Name, l.Provider, l.PodCIDR, l.Services, l.Port = cfg.Name, cfg.Seed.Provider, cfg.Seed.PodCIDR, cfg.Seed.ServiceCIDR, *cfg.FrontDoor.Port
}

func (l *Landscape) read(p paths.Paths, frontDoor string) error {
	s, err := store.Read(p.Store())
	if err != nil {
		return err
	}
	defer s.Close()
	id, known, err := s.Identity()
	if err != nil || !known {
		return err
	}
	l.Name = cmp.Or(id.Name, l.Name)
	l.nodes = id.Nodes
	l.Provider, l.PodCIDR, l.Services = cmp.Or(id.Provider, config.ProviderEmbedded), id.PodCIDR, id.ServiceCIDR
	if l.Port, err = s.Port(frontDoor); err != nil {
		return err
	}
	l.seeds, err = s.Seeds()
	return err
}

// Ranges are those of all seeds of other landscapes than that with this state directory, on this machine's loopback.
func Ranges(mine paths.Paths, frontDoor string) ([]netip.Prefix, error) {
	all, err := All(frontDoor)
	var ranges []netip.Prefix
	for _, other := range all {
		if other.StateDir != mine.Root() {
			ranges = append(ranges, other.ranges()...)
		}
	}
	return ranges, err
}

// ranges are those of all its seeds that are on this machine's loopback.
func (l *Landscape) ranges() []netip.Prefix {
	texts := []string{l.PodCIDR, l.Services}
	for _, seed := range l.seeds {
		texts = append(texts, seed.PodCIDR, seed.ServiceCIDR)
	}
	var all []netip.Prefix
	for _, text := range texts {
		if prefix, err := netip.ParsePrefix(text); err == nil && prefix.Addr().IsLoopback() {
			all = append(all, prefix)
		}
	}
	return all
}
