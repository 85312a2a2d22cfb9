package rbac

import rbacv1 "k8s.io/api/rbac/v1"

func policy(rules ...rbacv1.PolicyRule) []rbacv1.PolicyRule { return rules }

// clusterObjects are the Kubernetes kinds that operators of a garden work with.
func clusterObjects(verbs []string) []rbacv1.PolicyRule {
	return policy(
		rule(one(""), one("events", "namespaces", "resourcequotas"), verbs),
		rule(one("events.k8s.io"), one("events"), verbs),
		rule(one("rbac.authorization.k8s.io"), one("clusterroles", "clusterrolebindings", "roles", "rolebindings"), verbs),
		rule(one("admissionregistration.k8s.io"), one("mutatingwebhookconfigurations", "validatingwebhookconfigurations"), verbs),
		rule(one("apiregistration.k8s.io"), one("apiservices"), verbs),
		rule(one("apiextensions.k8s.io"), one("customresourcedefinitions"), verbs),
		rule(one("coordination.k8s.io"), one("leases"), verbs),
		rule(one("certificates.k8s.io"), one("certificatesigningrequests"), verbs),
	)
}
