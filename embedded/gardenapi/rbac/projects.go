package rbac

import "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"

const (
	toMember                = constants.LabelAggregateToProjectMember
	toViewer                = constants.LabelAggregateToProjectViewer
	toServiceAccountManager = constants.LabelAggregateToProjectServiceAccountManager
)

// projectRoles are bound in project namespaces. Extensions may add rules by labels.
func projectRoles() []role {
	return []role{
		{name: constants.RoleProjectMember, labels: map[string]string{labelRole: "project-member"}, collects: []map[string]string{{toMember: "true"}}},
		{name: "gardener.cloud:system:project-member-aggregation", labels: map[string]string{toMember: "true"}, rules: policy(
			rule(one(""), one("secrets", "configmaps"), write),
			rule(one(""), one("events", "resourcequotas", "serviceaccounts"), read),
			rule(one("events.k8s.io"), one("events"), read),
			rule(one("core.gardener.cloud"), one("shoots", "plants", "secretbindings", "quotas", "namespacedcloudprofiles"), write),
			rule(one("security.gardener.cloud"), one("credentialsbindings", "workloadidentities"), write),
			rule(one("settings.gardener.cloud"), one("openidconnectpresets"), write),
			rule(one("operations.gardener.cloud"), one("bastions"), write),
			rule(one("rbac.authorization.k8s.io"), one("roles", "rolebindings"), write),
			rule(one("core.gardener.cloud"), one("shoots/adminkubeconfig", "shoots/viewerkubeconfig"), one("create")))},
		{name: constants.RoleProjectServiceAccountManager, labels: map[string]string{labelRole: "project-serviceaccountmanager"}, collects: []map[string]string{{toServiceAccountManager: "true"}}},
		{name: "gardener.cloud:system:project-serviceaccountmanager-aggregation", labels: map[string]string{toServiceAccountManager: "true"}, rules: policy(
			rule(one(""), one("serviceaccounts"), write),
			rule(one(""), one("serviceaccounts/token"), one("create")))},
		{name: constants.RoleProjectViewer, labels: map[string]string{labelRole: "project-viewer"}, collects: []map[string]string{{toViewer: "true"}}},
		{name: "gardener.cloud:system:project-viewer-aggregation", labels: map[string]string{toViewer: "true"}, rules: policy(
			rule(one(""), one("events", "configmaps", "resourcequotas", "serviceaccounts"), read),
			rule(one("events.k8s.io"), one("events"), read),
			rule(one("core.gardener.cloud"), one("shoots", "plants", "secretbindings", "quotas", "namespacedcloudprofiles"), read),
			rule(one("security.gardener.cloud"), one("credentialsbindings", "workloadidentities"), read),
			rule(one("settings.gardener.cloud"), one("openidconnectpresets"), read),
			rule(one("operations.gardener.cloud"), one("bastions"), read),
			rule(one("rbac.authorization.k8s.io"), one("roles", "rolebindings"), read),
			rule(one("core.gardener.cloud"), one("shoots/viewerkubeconfig"), one("create")))},
	}
}
