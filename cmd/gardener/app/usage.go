package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/gardener-up/gardener-up/appliance/usage"
)

// usageTimeout is how long "gardener status" waits for the kubelets of a seed. A seed that hangs keeps nobody waiting for figures that
// are only nice to have.
const usageTimeout = 10 * time.Second

// shootUse is what the control plane and the machines of a shoot use in its seed.
type shootUse struct {
	// MemoryBytes is what is resident. Memory that processes share, such as the pages of their program, counts for each of them.
	MemoryBytes uint64 `json:"memoryBytes"`
	// CPUSeconds is the processor time since the processes have started.
	CPUSeconds float64 `json:"cpuSeconds"`
}

// addUse asks the seeds that have shoots, all at the same time. What cannot be found out stays unknown: others than this landscape run the
// seed, or it is just coming up. Seeds that are late are named.
func (s *status) addUse(ctx context.Context, l *landscape, in *gardenOfSeeds, timeout time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var seeds []string
	for i := range s.Shoots {
		if s.Shoots[i].Seed != "" {
			seeds = append(seeds, s.Shoots[i].Seed)
		}
	}
	slices.Sort(seeds)
	seeds = slices.Compact(seeds)
	uses, errs := make([]map[string]usage.Use, len(seeds)), make([]error, len(seeds))
	var asking sync.WaitGroup
	for i, seed := range seeds {
		asking.Go(func() { uses[i], errs[i] = l.useOf(ctx, seed, timeout) })
	}
	asking.Wait()
	for i, seed := range seeds {
		if errors.Is(errs[i], context.DeadlineExceeded) {
			s.Late = append(s.Late, fmt.Sprintf("memory and CPU time of the shoots of seed %s: its kubelets have not answered within %s", seed, timeout))
		}
	}
	for i := range s.Shoots {
		at := slices.Index(seeds, s.Shoots[i].Seed)
		if at < 0 {
			continue
		}
		if use, known := uses[at][in.shoots.Items[i].Status.TechnicalID]; known {
			s.Shoots[i].Use = &shootUse{use.Memory, use.CPU.Round(10 * time.Millisecond).Seconds()}
		}
	}
}

// useOf asks the kubelets of a seed what its namespaces use.
func (l *landscape) useOf(ctx context.Context, seed string, timeout time.Duration) (map[string]usage.Use, error) {
	_, config, err := l.seed(ctx, seed)
	if err != nil {
		return nil, err
	}
	config.Timeout = timeout
	return usage.Namespaces(ctx, config)
}

// columns are memory in MiB and processor time, for people.
func (u *shootUse) columns() (memory, cpu string) {
	if u == nil {
		return "-", "-"
	}
	return fmt.Sprintf("%d MiB", u.MemoryBytes>>20), fmt.Sprintf("%.1f s", u.CPUSeconds)
}
