package config

import (
	"fmt"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/gardener-up/gardener-up/controllers/internal/componentconfig"
)

// Validate lists all mistakes of a defaulted configuration.
func Validate(cfg *AdmissionControllerConfiguration) error {
	m := &componentconfig.Mistakes{}
	cfg.Log.Validate(m)
	cfg.GardenClientConnection.Validate(m, "gardenClientConnection")
	cfg.Server.Server.Validate(m)
	cfg.Server.Webhooks.Listener.Validate(m, "server.webhooks")
	if limits := cfg.Server.ResourceAdmissionConfiguration; limits != nil {
		validateLimits(limits, m)
	}
	return m.Err()
}

func validateLimits(limits *ResourceAdmissionConfiguration, m *componentconfig.Mistakes) {
	const path = "server.resourceAdmissionConfiguration"
	m.Add(limits.OperationMode != ModeBlock && limits.OperationMode != ModeLog, "%s.operationMode %q is not one of block, log", path, limits.OperationMode)
	for i, limit := range limits.Limits {
		path := fmt.Sprintf("%s.limits[%d]", path, i)
		m.Add(len(limit.Resources) == 0, "%s.resources must name at least one resource", path)
		m.Add(limit.Size == nil && limit.Count == nil, "%s.size is required", path)
		m.Add(limit.Size != nil && limit.Size.Sign() <= 0, "%s.size must be positive", path)
	}
	kinds := []string{rbacv1.UserKind, rbacv1.GroupKind, rbacv1.ServiceAccountKind}
	for i, subject := range limits.UnrestrictedSubjects {
		path := fmt.Sprintf("%s.unrestrictedSubjects[%d]", path, i)
		m.Add(!slices.Contains(kinds, subject.Kind), "%s.kind %q is not one of User, Group, ServiceAccount", path, subject.Kind)
		m.Add(subject.Name == "", "%s.name is required", path)
		ofAccount := subject.Kind == rbacv1.ServiceAccountKind
		m.Add(ofAccount && subject.Namespace == "", "%s.namespace is required for a ServiceAccount", path)
		m.Add(!ofAccount && subject.Namespace != "", "%s.namespace is for a ServiceAccount only", path)
		m.Add(ofAccount && subject.APIGroup != "", "%s.apiGroup must be empty for a ServiceAccount", path)
		m.Add(!ofAccount && subject.APIGroup != "" && subject.APIGroup != rbacv1.GroupName, "%s.apiGroup must be %s", path, rbacv1.GroupName)
	}
}
