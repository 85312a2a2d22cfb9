package addons

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func find[T client.Object](t *testing.T, objects []client.Object, name string) T {
	t.Helper()
	for _, object := range objects {
		if o, ok := object.(T); ok && o.GetName() == name {
			return o
		}
	}
	var none T
	t.Fatalf("there is no %T %q", none, name)
	return none
}

func TestIngress(t *testing.T) {
	t.Run("API-27 the load balancer and the settings are those of the shoot", func(t *testing.T) {
		objects := Ingress(gardencorev1beta1.NginxIngress{
			LoadBalancerSourceRanges: []string{"10.0.0.0/8"}, Config: map[string]string{"worker-processes": "4", "own": "x"},
			ExternalTrafficPolicy: ptr.To(corev1.ServiceExternalTrafficPolicyLocal),
		})
		service := find[*corev1.Service](t, objects, IngressService)
		if service.Spec.Type != corev1.ServiceTypeLoadBalancer || service.Spec.ExternalTrafficPolicy != corev1.ServiceExternalTrafficPolicyLocal {
			t.Errorf("service: %+v", service.Spec)
		}
		if diff := cmp.Diff([]string{"10.0.0.0/8"}, service.Spec.LoadBalancerSourceRanges); diff != "" {
			t.Errorf("ranges (-want +got):\n%s", diff)
		}
		data := find[*corev1.ConfigMap](t, objects, IngressService).Data
		if data["worker-processes"] != "4" || data["own"] != "x" || data["use-proxy-protocol"] != "false" {
			t.Errorf("settings: %v", data)
		}
	})
	t.Run("the controller finds its objects", func(t *testing.T) {
		objects := Ingress(gardencorev1beta1.NginxIngress{})
		args := find[*appsv1.Deployment](t, objects, IngressService).Spec.Template.Spec.Containers[0].Args
		for _, want := range []string{"--publish-service=kube-system/" + IngressService, "--configmap=kube-system/" + IngressService, "--default-backend-service=kube-system/" + ingressBackend} {
			if !slices.Contains(args, want) {
				t.Errorf("%s is missing in %v", want, args)
			}
		}
		for _, name := range []string{IngressService, ingressBackend} {
			service := find[*corev1.Service](t, objects, name)
			labels := find[*appsv1.Deployment](t, objects, name).Spec.Template.Labels
			for key, value := range service.Spec.Selector {
				if labels[key] != value {
					t.Errorf("service %s selects %v, its pods have %v", name, service.Spec.Selector, labels)
				}
			}
		}
	})
}

func TestDashboard(t *testing.T) {
	t.Run("API-27 users log in as the shoot says", func(t *testing.T) {
		for want, config := range map[string]gardencorev1beta1.KubernetesDashboard{
			"--authentication-mode=token": {},
			"--authentication-mode=basic": {AuthenticationMode: ptr.To("basic")},
		} {
			args := find[*appsv1.Deployment](t, Dashboard(config), dashboardName).Spec.Template.Spec.Containers[0].Args
			if !slices.Contains(args, want) {
				t.Errorf("%s is missing in %v", want, args)
			}
		}
	})
}
