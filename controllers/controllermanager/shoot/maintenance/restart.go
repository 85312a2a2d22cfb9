package maintenance

import (
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// restartAge is the minimum age of a cluster for restarts that nobody requested. In a younger cluster nothing has run
// for a day.
const restartAge = 24 * time.Hour

// Restarts selects what maintenance restarts.
type Restarts struct {
	ControlPlane bool // pods of the control plane that are labelled for it
	CoreAddons   bool // system components of the shoot
}

func (r Restarts) tasks() []string {
	var tasks []string
	if r.ControlPlane {
		tasks = append(tasks, constants.ShootTaskRestartControlPlanePods)
	}
	if r.CoreAddons {
		tasks = append(tasks, constants.ShootTaskRestartCoreAddons)
	}
	return tasks
}

// Restart adds restart tasks to the next run of the gardenlet. A hibernated cluster has nothing to restart.
func (p *Plan) Restart(restarts Restarts, asked bool, now time.Time) {
	shoot := p.Shoot
	tasks := restarts.tasks()
	if len(tasks) == 0 || helper.HibernationIsEnabled(shoot) || !asked && now.Sub(shoot.CreationTimestamp.Time) < restartAge {
		return
	}
	var all []string
	if present := shoot.Annotations[constants.ShootTasks]; present != "" {
		all = strings.Split(present, ",")
	}
	for _, task := range tasks {
		if !slices.Contains(all, task) {
			all = append(all, task)
		}
	}
	metav1.SetMetaDataAnnotation(&shoot.ObjectMeta, constants.ShootTasks, strings.Join(all, ","))
	p.Restarted = tasks
}

// Run requests a run of the gardenlet for tasks, and for a user who asked for maintenance, unless there is one anyway.
func (p *Plan) Run(asked bool) {
	if len(p.Restarted) == 0 && !asked || len(p.Changes) > 0 { // changes are rolled out in any case
		return
	}
	if p.Shoot.Annotations[constants.GardenerOperation] == "" {
		metav1.SetMetaDataAnnotation(&p.Shoot.ObjectMeta, constants.GardenerOperation, constants.GardenerOperationReconcile)
	}
}
