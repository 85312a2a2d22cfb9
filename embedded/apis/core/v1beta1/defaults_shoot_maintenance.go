package v1beta1

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/gardener-up/gardener-up/embedded/apis/defaulting"
)

// setMaintenance switches updates of versions on and chooses a time window.
func setMaintenance(obj *ShootSpec) {
	defaulting.Pointer(&obj.Maintenance, Maintenance{})
	defaulting.Pointer(&obj.Maintenance.AutoUpdate, MaintenanceAutoUpdate{KubernetesVersion: true})
	if len(obj.Provider.Workers) > 0 {
		defaulting.Pointer(&obj.Maintenance.AutoUpdate.MachineImageVersion, true)
	}
	if obj.Maintenance.TimeWindow == nil {
		obj.Maintenance.TimeWindow = randomTimeWindow()
	}
}

// randomTimeWindow is an hour of the day, at random so that maintenance of many clusters spreads over the day.
func randomTimeWindow() *MaintenanceTimeWindow {
	begin := rand.IntN(24)
	return &MaintenanceTimeWindow{
		Begin: fmt.Sprintf("%02d0000+0000", begin),
		End:   fmt.Sprintf("%02d0000+0000", (begin+1)%24),
	}
}

// SetDefaults_MaintenanceRotationConfig rotates every week.
func SetDefaults_MaintenanceRotationConfig(obj *MaintenanceRotationConfig) {
	setDuration(&obj.RotationPeriod, 7*24*time.Hour)
}
