package managers

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/controllermanager/config"
)

// projectObjects are the numbers of objects that a project may have unless the configuration says otherwise. All projects
// share one etcd, so no kind that members of a project may create is without a limit. Each Shoot makes up to ten Secrets.
var projectObjects = map[string]int64{
	"shoots.core.gardener.cloud": 500, "secrets": 5000, "configmaps": 5000,
	"plants.core.gardener.cloud": 500, "quotas.core.gardener.cloud": 500, "secretbindings.core.gardener.cloud": 500,
	"namespacedcloudprofiles.core.gardener.cloud": 500, "openidconnectpresets.settings.gardener.cloud": 500,
	"credentialsbindings.security.gardener.cloud": 500, "workloadidentities.security.gardener.cloud": 500,
	"bastions.operations.gardener.cloud": 500,
	"serviceaccounts":                    500, "roles.rbac.authorization.k8s.io": 500, "rolebindings.rbac.authorization.k8s.io": 500,
	"leases.coordination.k8s.io": 500,
}

// defaultQuotas are the quotas of projects if the configuration names none. An empty list is a choice.
func defaultQuotas(c *config.ControllerManagerConfiguration) {
	if c.Controllers.Project.Quotas != nil {
		return
	}
	hard := corev1.ResourceList{}
	for kind, number := range projectObjects {
		hard[corev1.ResourceName("count/"+kind)] = *resource.NewQuantity(number, resource.DecimalSI)
	}
	c.Controllers.Project.Quotas = []config.QuotaOfProject{{
		Config: &corev1.ResourceQuota{Spec: corev1.ResourceQuotaSpec{Hard: hard}}, ProjectSelector: &metav1.LabelSelector{},
	}}
}
