package app

import (
	"context"
	"fmt"
	"time"

	"github.com/gardener-up/gardener-up/appliance/usage"
)

// usageTimeout is how long "gardener status" waits for the kubelets of a seed.
const usageTimeout = 3 * time.Second

// shootUse is what the control plane and the machines of a shoot use in its seed.
type shootUse struct {
	// MemoryBytes is what is resident. Memory that processes share, such as the pages of their program, counts for each of them.
	MemoryBytes uint64 `json:"memoryBytes"`
	// CPUSeconds is the processor time since the processes have started.
	CPUSeconds float64 `json:"cpuSeconds"`
}

// addUse asks the seeds that have shoots. What cannot be found out stays unknown: others than this landscape run the seed, or it is
// just coming up.
func (s *status) addUse(ctx context.Context, l *landscape, in *gardenOfSeeds) {
	ctx, cancel := context.WithTimeout(ctx, usageTimeout)
	defer cancel()
	asked := map[string]map[string]usage.Use{}
	for i := range s.Shoots {
		seed := s.Shoots[i].Seed
		if _, known := asked[seed]; !known && seed != "" {
			if _, config, err := l.seed(ctx, seed); err == nil {
				config.Timeout = usageTimeout
				asked[seed], _ = usage.Namespaces(ctx, config)
			}
		}
		if use, known := asked[seed][in.shoots.Items[i].Status.TechnicalID]; known {
			s.Shoots[i].Use = &shootUse{use.Memory, use.CPU.Round(10 * time.Millisecond).Seconds()}
		}
	}
}

// columns are memory in MiB and processor time, for people.
func (u *shootUse) columns() (memory, cpu string) {
	if u == nil {
		return "-", "-"
	}
	return fmt.Sprintf("%d MiB", u.MemoryBytes>>20), fmt.Sprintf("%.1f s", u.CPUSeconds)
}
