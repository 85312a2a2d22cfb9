package schedule

import (
	"time"

	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/embedded/self"
)

// Parts are the part that makes backups after other parts. There is none unless the configuration has a schedule.
func Parts(c *config.Backup, p paths.Paths, log logr.Logger, after ...string) ([]component.Part, error) {
	if c == nil {
		return nil, nil
	}
	executable, err := self.Path()
	if err != nil {
		return nil, err
	}
	s := &Schedule{Config: c, Paths: p, Make: Command(executable, c, p), Now: time.Now, Wait: Until, Log: log.WithName(PartName)}
	return []component.Part{{Component: s.Component(), After: after, Restart: true}}, nil
}
