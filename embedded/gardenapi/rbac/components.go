package rbac

// componentRoles are the roles of Gardener's components.
func componentRoles() []role {
	return []role{
		{name: "gardener.cloud:system:seed-bootstrapper", subjects: group("system:bootstrappers"), rules: policy(
			rule(one("certificates.k8s.io"), one("certificatesigningrequests"), one("create", "get")),
			rule(one("certificates.k8s.io"), one("certificatesigningrequests/seedclient"), one("create")))},
		// The seed authorizer decides what gardenlets may do. The role stays nearly without rules, because former versions allowed
		// everything. With the authorities of the garden gardenlets follow rotations.
		{name: "gardener.cloud:system:seeds", subjects: group("gardener.cloud:system:seeds"), rules: policy(
			rule(one(""), one("configmaps"), one("get"), "kube-root-ca.crt"))},
		{name: "gardener.cloud:system:admission-controller", rules: policy(
			rule(one("core.gardener.cloud"), one("backupbuckets", "backupentries", "controllerdeployments", "controllerinstallations", "projects", "secretbindings", "seeds", "shoots"), read),
			rule(one("security.gardener.cloud"), one("credentialsbindings"), read),
			rule(one("operations.gardener.cloud"), one("bastions"), read),
			rule(one("seedmanagement.gardener.cloud"), one("managedseeds", "gardenlets"), read),
			rule(one("certificates.k8s.io"), one("certificatesigningrequests"), read),
			rule(one(""), one("secrets"), one("get")), // that Shoots and Seeds refer to
			rule(one("admissionregistration.k8s.io"), one("validatingwebhookconfigurations", "mutatingwebhookconfigurations"),
				one("create", "get", "patch", "delete")))},
		{name: "gardener.cloud:system:scheduler", rules: policy(
			rule(one("", "events.k8s.io"), one("events"), one("create", "patch", "update")),
			rule(one(""), one("configmaps"), one("create", "delete", "get", "list", "watch", "patch", "update")),
			rule(one("core.gardener.cloud"), one("seeds", "cloudprofiles", "namespacedcloudprofiles", "projects", "exposureclasses"), read),
			rule(one("core.gardener.cloud"), one("shoots", "shoots/status"), one("get", "list", "watch", "patch", "update")),
			rule(one("core.gardener.cloud"), one("shoots/binding"), one("update", "patch")),
			rule(one("coordination.k8s.io"), one("leases"), one("create")),
			rule(one("coordination.k8s.io"), one("leases"), one("get", "watch", "update"), "gardener-scheduler-leader-election"))},
	}
}
