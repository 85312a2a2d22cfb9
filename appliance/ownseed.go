package appliance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/store"
)

const (
	clusterReadyTimeout = 4 * time.Minute
	clusterStopTimeout  = 45 * time.Second
)

// ClusterPart and RegistrationPart are the names of the parts of a further seed that the landscape brings up.
func ClusterPart(seed string) string      { return "cluster-" + seed }
func RegistrationPart(seed string) string { return "registration-" + seed }

// ownSeed is one further seed that the landscape brings up.
type ownSeed struct {
	a          *appliance
	name       string
	finish     context.CancelFunc
	wake       chan struct{} // hurries the registration
	supervisor atomic.Pointer[component.Supervisor]

	mu sync.Mutex // of what the store says about the seed
}

// live keeps the seed up until ctx ends. If the seed was removed by then, everything of it is.
func (s *ownSeed) live(ctx context.Context) {
	for {
		if seed, known, err := s.a.store.Seed(s.name); err == nil && (!known || seed.Removed) {
			break
		}
		err := s.run(ctx)
		if ctx.Err() != nil {
			break
		}
		s.a.Log.Error(err, "Further seed has ended, will try again", "seed", s.name)
		select {
		case <-time.After(ownSeedRetry):
		case <-ctx.Done():
		}
	}
	if err := s.clear(); err != nil {
		s.a.Log.Error(err, "Further seed cannot be removed from this machine; the next start tries again", "seed", s.name)
	}
}

func (s *ownSeed) run(ctx context.Context) error {
	supervisor, err := component.NewSupervisor(s.parts(), s.a.observe)
	if err != nil {
		return err
	}
	s.supervisor.Store(supervisor)
	return supervisor.Run(ctx)
}

// clear removes what is left of a seed whose Seed is gone.
func (s *ownSeed) clear() error {
	seed, known, err := s.a.store.Seed(s.name)
	if err != nil || !known || !seed.Removed {
		return err
	}
	if err := removeDirectory(s.paths().Root()); err != nil {
		return err
	}
	s.a.Log.Info("Further seed is removed", "seed", s.name)
	return s.a.store.RemoveSeed(s.name)
}

func (s *ownSeed) paths() paths.Paths { return s.a.Paths.Seed(s.name) }

func (s *ownSeed) parts() []component.Part {
	cluster := ClusterPart(s.name)
	registration := &registration{own: s}
	return []component.Part{
		{Restart: true, ReadyTimeout: clusterReadyTimeout, StopTimeout: clusterStopTimeout, Component: &process{
			name: cluster, child: s.child, ready: s.serves, why: func() error { return LastFailure(s.paths()) },
		}},
		{After: []string{cluster}, Restart: true, ReadyTimeout: clusterReadyTimeout,
			Component: component.NewLoop(RegistrationPart(s.name), registration.run, registration.ready)},
	}
}

// child is the process of the cluster: a landscape's, reduced to the first seed.
func (s *ownSeed) child() (daemon.Child, error) {
	seed, _, err := s.a.store.Seed(s.name)
	if err != nil {
		return daemon.Child{}, err
	}
	p, anyPort := s.paths(), int32(0)
	cfg := &config.Landscape{
		Name: s.a.Config.Name, StateDir: p.Root(), Domain: s.a.Config.Domain, Log: s.a.Config.Log, Image: s.a.Config.Image, FrontDoor: config.FrontDoor{Port: &anyPort},
		Seed: config.Seed{Name: s.name, PodCIDR: seed.PodCIDR, ServiceCIDR: seed.ServiceCIDR},
	}
	config.SetDefaults(cfg)
	if err := p.Create(); err != nil {
		return daemon.Child{}, err
	}
	file, err := SaveConfig(cfg, p)
	if err != nil {
		return daemon.Child{}, err
	}
	if err := os.Rename(p.Log(), p.PreviousLog()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return daemon.Child{}, fmt.Errorf("keep the previous log: %w", err)
	}
	executable, err := os.Executable()
	if err != nil {
		return daemon.Child{}, fmt.Errorf("find this binary: %w", err)
	}
	return daemon.Child{Executable: executable, LogFile: p.Log(), Args: []string{
		"daemon", "--landscape-config=" + file, "--state-dir=" + p.Root(), "--" + ClusterFlag + "=" + s.a.ports.local("dns"),
	}}, nil
}

// serves asks the process of the cluster.
func (s *ownSeed) serves(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	report, err := daemon.NewClient(s.paths().Socket()).Report(ctx)
	if err != nil {
		return errors.New("the cluster is starting")
	}
	if report.Ready {
		return nil
	}
	for _, part := range report.Parts {
		if part.State == component.Starting && part.Message != "" {
			return fmt.Errorf("%s: %s", part.Name, part.Message)
		}
	}
	return errors.New("the cluster is starting")
}

// remove deletes the Seed; the registration does the rest when it is gone.
func (s *ownSeed) remove(ctx context.Context, garden client.Client) error {
	if err := s.removing(func() error { return deleteSeed(ctx, garden, s.name) }); err != nil {
		return err
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
	return nil
}

// removing notes that the Seed is being deleted, once delete has succeeded.
func (s *ownSeed) removing(remove func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := remove(); err != nil {
		return err
	}
	return s.change(func(seed *store.Seed) { seed.Removing = true })
}

// change writes to the store if there is something to change.
func (s *ownSeed) change(change func(*store.Seed)) error {
	seed, known, err := s.a.store.Seed(s.name)
	if err != nil || !known {
		return err
	}
	before := seed
	if change(&seed); seed == before {
		return nil
	}
	return s.a.store.SetSeed(seed)
}
