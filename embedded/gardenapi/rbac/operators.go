package rbac

const labelRole = "gardener.cloud/role"

var (
	all   = []string{"*"}
	read  = []string{"get", "list", "watch"}
	write = []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}

	gardenerGroups = []string{
		"core.gardener.cloud", "seedmanagement.gardener.cloud", "dashboard.gardener.cloud", "settings.gardener.cloud",
		"operations.gardener.cloud", "security.gardener.cloud",
	}
)

// operatorRoles are the roles of operators of the landscape and of all authenticated users.
func operatorRoles() []role {
	return []role{
		{name: "gardener.cloud:admin", labels: map[string]string{labelRole: "admin"}, rules: append(clusterObjects(all),
			rule(gardenerGroups, all, all))},
		{name: "gardener.cloud:system:administrators", collects: []map[string]string{
			{labelRole: "admin"}, {labelRole: "project-member"}, {labelRole: "project-serviceaccountmanager"},
		}},
		{name: "gardener.cloud:viewer", labels: map[string]string{labelRole: "viewer"}, rules: append(clusterObjects(read),
			rule(one("core.gardener.cloud"), one("backupbuckets", "backupentries", "cloudprofiles", "controllerinstallations",
				"namespacedcloudprofiles", "plants", "quotas", "projects", "seeds", "shoots"), read),
			rule(one("seedmanagement.gardener.cloud", "dashboard.gardener.cloud", "settings.gardener.cloud", "operations.gardener.cloud"), all, read))},
		{name: "gardener.cloud:system:viewers", collects: []map[string]string{{labelRole: "viewer"}, {labelRole: "project-viewer"}}},
		{name: "gardener.cloud:system:read-global-resources", subjects: group("system:authenticated"),
			rules: policy(rule(one("core.gardener.cloud"), one("cloudprofiles", "exposureclasses", "seeds"), read))},
		{name: "gardener.cloud:system:user-auth", subjects: group("system:authenticated"), rules: policy(
			rule(one("authentication.k8s.io"), one("tokenreviews"), one("create")),
			rule(one("authorization.k8s.io"), one("selfsubjectaccessreviews"), one("create")))},
		{name: "gardener.cloud:system:project-creation", rules: policy(rule(one("core.gardener.cloud"), one("projects"), one("create")))},
	}
}
