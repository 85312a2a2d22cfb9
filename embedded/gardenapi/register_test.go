package gardenapi

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"

	"github.com/gardener-up/gardener-up/embedded/gardenapi/scheme"
)

func TestRegistered(t *testing.T) {
	t.Run("OPR-36 the Service of a virtual garden is in kube-system, and all groups refer to it", func(t *testing.T) {
		groups, roles := 0, 0
		for _, object := range Registered("gardener-apiserver.garden.svc.cluster.local", 8443, []byte("ca")) {
			switch object := object.(type) {
			case *corev1.Service:
				if object.Namespace != "kube-system" || object.Name != "gardener-apiserver" || object.Spec.ExternalName != "gardener-apiserver.garden.svc.cluster.local" {
					t.Errorf("service %+v", object)
				}
			case *apiregistrationv1.APIService:
				groups++
				if service := object.Spec.Service; service.Namespace != "kube-system" || *service.Port != 8443 || string(object.Spec.CABundle) != "ca" {
					t.Errorf("%s refers to %+v", object.Name, service)
				}
			case *rbacv1.ClusterRole:
				roles++
			}
		}
		if groups != len(scheme.Registered()) || roles == 0 {
			t.Errorf("%d groups, %d roles", groups, roles)
		}
	})
}
