package shoot

import (
	"reflect"
	"strings"
	"sync"

	apiequality "k8s.io/apimachinery/pkg/api/equality"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// ineffective are the paths of fields that are stored for compatibility but that nothing in a landscape acts on. The test of
// hack/fields finds them; outdated names those that have a warning of their own.
var ineffective = []string{
	"spec.accessRestrictions",
	"spec.controlPlane.zones",
	"spec.dns.providers[].domains",
	"spec.dns.providers[].zones.exclude",
	"spec.kubernetes.allowPrivilegedContainers",
	"spec.kubernetes.clusterAutoscaler.autoscaling",
	"spec.kubernetes.etcd",
	"spec.kubernetes.kubeAPIServer.autoscaling",
	"spec.kubernetes.kubeAPIServer.enableBasicAuthentication",
	"spec.kubernetes.kubeAPIServer.oidcConfig.clientAuthentication",
	"spec.kubernetes.kubeAPIServer.serviceAccountConfig.signingKeySecretName",
	"spec.kubernetes.kubeAPIServer.structuredAuthorization",
	"spec.kubernetes.kubeControllerManager.nodeCIDRMaskSizeIPv6",
	"spec.kubernetes.kubeScheduler.kubeMaxPDVols",
	"spec.kubernetes.kubelet.imagePullCredentialsVerificationPolicy",
	"spec.kubernetes.kubelet.imagePullProgressDeadline",
	"spec.kubernetes.kubelet.preloadedImagesVerificationAllowlist",
	"spec.monitoring",
	"spec.provider.workers[].controlPlane",
	"spec.provider.workers[].kubernetes.kubelet.imagePullCredentialsVerificationPolicy",
	"spec.provider.workers[].kubernetes.kubelet.imagePullProgressDeadline",
	"spec.provider.workers[].kubernetes.kubelet.preloadedImagesVerificationAllowlist",
	"spec.provider.workers[].machineControllerManager.autoPreserveFailedMachineMax",
	"spec.systemComponents.coreDNS.autoscaling",
}

// warnIneffective returns a warning for each field of a specification that has no effect. old is nil for a creation.
func warnIneffective(s, old *core.Shoot) []string {
	if old != nil && apiequality.Semantic.DeepEqual(s.Spec, old.Spec) {
		return nil
	}
	var out []string
	for _, path := range ineffective {
		set := valuesAt(s, path)
		if len(set) > 0 && !reflect.DeepEqual(set, valuesAt(defaulted(), path)) {
			out = append(out, path+" is stored, but has no effect in this landscape")
		}
	}
	return out
}

// defaulted is a Shoot with a worker of which all else is a default. Defaults cause no warning.
var defaulted = sync.OnceValue(func() *core.Shoot {
	shoot := &core.Shoot{Spec: core.ShootSpec{Provider: core.Provider{Workers: []core.Worker{{}}}}}
	core.SetObjectDefaults_Shoot(shoot)
	return shoot
})

// valuesAt returns the values of a field that are set. "[]" behind a key of the path means every element of a list.
func valuesAt(s *core.Shoot, path string) []any {
	return values(reflect.ValueOf(s), strings.Split(path, "."))
}

func values(at reflect.Value, keys []string) []any {
	switch {
	case at.IsZero():
		return nil
	case len(keys) == 0:
		return []any{at.Interface()}
	case at.Kind() == reflect.Pointer:
		return values(at.Elem(), keys)
	}
	key, list := strings.CutSuffix(keys[0], "[]")
	field := fieldOf(at, key)
	if !list {
		return values(field, keys[1:])
	}
	var all []any
	for i := range field.Len() {
		all = append(all, values(field.Index(i), keys[1:])...)
	}
	return all
}

// fieldOf returns the field of a struct that has a name in JSON. The paths are constants, so there is one.
func fieldOf(structure reflect.Value, key string) reflect.Value {
	for i := range structure.NumField() {
		if name, _, _ := strings.Cut(structure.Type().Field(i).Tag.Get("json"), ","); name == key {
			return structure.Field(i)
		}
	}
	panic(structure.Type().String() + " has no field " + key)
}
