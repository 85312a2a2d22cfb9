package core

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestSmallKinds(t *testing.T) {
	meta := metav1.ObjectMeta{Name: "a", Namespace: "default"}
	global := metav1.ObjectMeta{Name: "a"}
	for name, tc := range map[string]struct {
		errs field.ErrorList
		want string
	}{
		"API-30 a Plant has a Secret and endpoints with names": {
			errs: ValidatePlant(&core.Plant{ObjectMeta: meta, Spec: core.PlantSpec{Endpoints: []core.PlantEndpoint{{Name: "a", URL: "x", Purpose: "p"}, {Name: "a", URL: "https://a"}}}}),
			want: "[spec.endpoints[0].url spec.endpoints[1].name spec.endpoints[1].purpose spec.secretRef.name]",
		},
		"API-33 a description has a type": {
			errs: ValidateControllerRegistration(&core.ControllerRegistration{ObjectMeta: global, Spec: core.ControllerRegistrationSpec{
				Deployment: &core.ControllerRegistrationDeployment{ProviderConfig: &runtime.RawExtension{Raw: []byte("{}")}}}}),
			want: "[spec.deployment.type]",
		},
		"API-33 a description has no references": {
			errs: ValidateControllerRegistration(&core.ControllerRegistration{ObjectMeta: global, Spec: core.ControllerRegistrationSpec{
				Deployment: &core.ControllerRegistrationDeployment{Type: ptr.To("helm"), DeploymentRefs: []core.DeploymentRef{{Name: "b"}}}}}),
			want: "[spec.deployment.deploymentRefs[0] spec.deployment.providerConfig]",
		},
		"a secret has the keys of its type": {
			errs: ValidateInternalSecret(&core.InternalSecret{ObjectMeta: meta, Type: corev1.SecretTypeTLS, Data: map[string][]byte{"tls.crt": nil}}),
			want: "[data[tls.key]]",
		},
		"API-34 entries are unique": {
			errs: ValidateShootState(&core.ShootState{ObjectMeta: meta, Spec: core.ShootStateSpec{
				Gardener:   []core.GardenerResourceData{{Name: "a", Type: "secret"}, {Name: "a", Type: "secret"}},
				Extensions: []core.ExtensionResourceState{{Kind: "Worker", Name: ptr.To("a")}, {Kind: "Worker", Name: ptr.To("a")}},
			}}),
			want: "[spec.extensions[1] spec.gardener[1].name]",
		},
		"API-14 a quota is for something known": {
			errs: ValidateQuota(&core.Quota{ObjectMeta: meta, Spec: core.QuotaSpec{ClusterLifetimeDays: ptr.To[int32](0), Scope: corev1.ObjectReference{APIVersion: "v1", Kind: "Pod"}}}),
			want: "[spec.clusterLifetimeDays spec.scope]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := fmt.Sprint(fields(tc.errs)); got != tc.want {
				t.Errorf("mistakes in %s, want %s: %v", got, tc.want, tc.errs)
			}
		})
	}
}
