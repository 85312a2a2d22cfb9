package shootvalidator

import (
	"slices"
	"strings"

	apiequality "k8s.io/apimachinery/pkg/api/equality"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// renewing are operations after which nodes are to accept other keys.
var renewing = []string{
	constants.ShootOperationRotateSSHKeypair, constants.OperationRotateCredentialsStart, constants.OperationRotateCredentialsStartWithoutWorkersRollout,
}

// addTasks orders what the gardenlet does not do in every reconciliation, where a change makes it necessary.
func addTasks(shoot, old *core.Shoot) {
	if shoot.DeletionTimestamp != nil {
		return
	}
	awakes := old == nil || helper.HibernationIsEnabled(old) && !helper.HibernationIsEnabled(shoot)
	var tasks []string
	if awakes || infrastructureChanges(shoot, old) {
		tasks = append(tasks, constants.ShootTaskDeployInfrastructure)
	}
	if awakes || !apiequality.Semantic.DeepEqual(old.Spec.DNS, shoot.Spec.DNS) {
		tasks = append(tasks, constants.ShootTaskDeployDNSRecordInternal, constants.ShootTaskDeployDNSRecordExternal, constants.ShootTaskDeployDNSRecordIngress)
	}
	if len(tasks) == 0 {
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
	annotate(shoot, constants.ShootTasks, strings.Join(all, ","))
}

func infrastructureChanges(shoot, old *core.Shoot) bool {
	return !apiequality.Semantic.DeepEqual(old.Spec.Provider.InfrastructureConfig, shoot.Spec.Provider.InfrastructureConfig) ||
		helper.WantsSSHAccess(old) != helper.WantsSSHAccess(shoot) ||
		startsRenewing(shoot) && shoot.Annotations[constants.GardenerOperation] != old.Annotations[constants.GardenerOperation]
}

func startsRenewing(shoot *core.Shoot) bool {
	operations := strings.Split(shoot.Annotations[constants.GardenerOperation], constants.GardenerOperationsSeparator)
	return slices.ContainsFunc(operations, func(operation string) bool { return slices.Contains(renewing, operation) })
}
