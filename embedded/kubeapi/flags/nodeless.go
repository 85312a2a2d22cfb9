package flags

import (
	"maps"
	"slices"
)

// WithoutNodes returns the flags for a cluster that never has nodes or pods: no workloads, no storage, no runtime
// classes. Each kind that is not served saves connections, caches and time at every start. Flags that f sets take
// precedence.
//
// The node authorizer is disabled, too, since it waits for storage kinds. resource.k8s.io stays enabled, since quotas
// watch it.
func (f Flags) WithoutNodes() Flags {
	config := map[string]bool{
		"apps/v1": false, "batch/v1": false, "autoscaling/v1": false, "autoscaling/v2": false, "policy/v1": false,
		"storage.k8s.io/v1": false, "node.k8s.io/v1": false,
	}
	maps.Copy(config, f.RuntimeConfig)
	f.RuntimeConfig = config
	if len(f.AuthorizationMode) == 0 {
		f.AuthorizationMode = []string{"RBAC"}
	}
	f.DisableAdmission = slices.Clone(f.DisableAdmission)
	for _, plugin := range []string{"DefaultStorageClass", "StorageObjectInUseProtection", "PersistentVolumeClaimResize", "RuntimeClass"} {
		if !slices.Contains(f.DisableAdmission, plugin) && !slices.Contains(f.EnableAdmission, plugin) {
			f.DisableAdmission = append(f.DisableAdmission, plugin)
		}
	}
	return f
}
