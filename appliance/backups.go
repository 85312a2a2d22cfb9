package appliance

import (
	"time"

	"github.com/gardener-up/gardener-up/appliance/backup/schedule"
	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/seeds"
	"github.com/gardener-up/gardener-up/embedded/self"
)

// backups lists nothing unless the configuration has a schedule.
func (l *landscape) backups() ([]component.Part, error) {
	if l.Config.Backup == nil {
		return nil, nil
	}
	executable, err := self.Path()
	if err != nil {
		return nil, err
	}
	s := &schedule.Schedule{
		Config: l.Config.Backup, Paths: l.Paths, Make: schedule.Command(executable, l.Config.Backup, l.Paths), Now: time.Now, Wait: schedule.Until,
		Log: l.Log.WithName(schedule.PartName),
	}
	return []component.Part{{Component: s.Component(), After: []string{seeds.GateName}, Restart: true}}, nil
}
