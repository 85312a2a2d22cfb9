package deployed

import (
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/operator/host"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

// entrance is the Service and the Deployment of the gateway.
func (b *bench) entrance() (*corev1.Service, *appsv1.Deployment) {
	b.Helper()
	key := client.ObjectKey{Namespace: "virtual-garden-istio-ingress", Name: "istio-ingressgateway"}
	service, deployment := &corev1.Service{}, &appsv1.Deployment{}
	for _, object := range []client.Object{service, deployment} {
		if err := b.Get(b.Context(), key, object); err != nil {
			b.Fatal(err)
		}
	}
	return service, deployment
}

func TestGateway(t *testing.T) {
	b := newBench(t)
	b.inputs.ServiceType = corev1.ServiceTypeLoadBalancer
	b.host, _ = New(b.inputs)
	settings := &operatorv1alpha1.Settings{
		LoadBalancerServices: &operatorv1alpha1.SettingLoadBalancerServices{
			Annotations: map[string]string{"internal": "yes"}, ExternalTrafficPolicy: ptr.To(corev1.ServiceExternalTrafficPolicyLocal),
		},
		TopologyAwareRouting: &operatorv1alpha1.SettingTopologyAwareRouting{Enabled: true},
	}
	b.deploy(aGarden(func(g *operatorv1alpha1.Garden) { g.Spec.RuntimeCluster.Settings = settings }))
	service, deployment := b.entrance()
	t.Run("OPR-7 OPR-34 users reach the gateway, and the Service of the API server is for the cluster only", func(t *testing.T) {
		inside := &corev1.Service{}
		b.read(apiServer, inside)
		if inside.Spec.Type != corev1.ServiceTypeClusterIP || service.Spec.Type != corev1.ServiceTypeLoadBalancer {
			t.Errorf("the types are %s and %s", inside.Spec.Type, service.Spec.Type)
		}
		for key, value := range service.Spec.Selector {
			if deployment.Spec.Template.Labels[key] != value {
				t.Errorf("the pods lack label %s=%s", key, value)
			}
		}
	})
	t.Run("OPR-34 OPR-13 the gateway leads the names of all domains to the address of that Service", func(t *testing.T) {
		want := []string{
			"component", "front-door", "--bind-address=:9443",
			"--route=api.garden.example.org=10.2.0.7:443", "--route=api.old.example.org=10.2.0.7:443",
		}
		container := deployment.Spec.Template.Spec.Containers[0]
		if !slices.Equal(container.Args, want) {
			t.Errorf("arguments %q", container.Args)
		}
		if port := service.Spec.Ports[0]; port.Port != 443 || port.TargetPort.IntVal != container.Ports[0].ContainerPort {
			t.Errorf("port %+v", port)
		}
		if mounts := ptr.Deref(deployment.Spec.Template.Spec.AutomountServiceAccountToken, true); mounts {
			t.Error("its pods can ask the cluster")
		}
	})
	t.Run("OPR-3 the load balancer has the annotations and the routing of the Garden", func(t *testing.T) {
		if service.Annotations["internal"] != "yes" || service.Spec.ExternalTrafficPolicy != "Local" || ptr.Deref(service.Spec.TrafficDistribution, "") != "PreferClose" {
			t.Errorf("service %+v", service)
		}
		inside := &corev1.Service{}
		b.read(apiServer, inside)
		if ptr.Deref(inside.Spec.TrafficDistribution, "") != "PreferClose" {
			t.Errorf("service %+v", inside)
		}
	})
	t.Run("OPR-21 a gateway without replicas does not serve", func(t *testing.T) {
		serves := b.component("istio-ingressgateway").Serves
		if err := serves(t.Context()); err != nil {
			t.Error(err)
		}
		deployment.Spec.Replicas = ptr.To[int32](0)
		if err := b.Update(t.Context(), deployment); err != nil {
			t.Fatal(err)
		}
		if err := serves(t.Context()); err == nil {
			t.Error("it serves")
		}
	})
	t.Run("OPR-39 the gateway goes with its namespace, after the API server", func(t *testing.T) {
		if err := b.host.Destroy(t.Context(), aGarden(), host.SystemComponents); err != nil {
			t.Error(err)
		}
		if err := b.Get(t.Context(), client.ObjectKey{Name: "virtual-garden-istio-ingress"}, &corev1.Namespace{}); !apierrors.IsNotFound(err) {
			t.Error(err)
		}
	})
}

func TestGatewayOfAFormerVersion(t *testing.T) {
	b := newBench(t)
	entrance := &corev1.Service{}
	b.read(apiServer, entrance)
	entrance.Spec.Type = corev1.ServiceTypeLoadBalancer
	if err := b.Update(t.Context(), entrance); err != nil {
		t.Fatal(err)
	}
	want := func(t *testing.T, stage host.Stage, want corev1.ServiceType) {
		t.Helper()
		if err := b.host.Deploy(t.Context(), aGarden(), stage); err != nil {
			t.Fatal(err)
		}
		b.read(apiServer, entrance)
		if entrance.Spec.Type != want {
			t.Errorf("the type is %s", entrance.Spec.Type)
		}
	}
	t.Run("OPR-34 users reach the API server by its Service until the gateway serves", func(t *testing.T) {
		want(t, host.SystemComponents, corev1.ServiceTypeLoadBalancer)
		b.entrance()
		want(t, host.ETCD, corev1.ServiceTypeClusterIP) // a stage begins when the one before serves
	})
}

func TestGatewayInside(t *testing.T) {
	b := newBench(t)
	b.deploy(aGarden(func(g *operatorv1alpha1.Garden) {
		g.Spec.RuntimeCluster.Settings = &operatorv1alpha1.Settings{LoadBalancerServices: &operatorv1alpha1.SettingLoadBalancerServices{
			Annotations: map[string]string{"internal": "yes"}, ExternalTrafficPolicy: ptr.To(corev1.ServiceExternalTrafficPolicyLocal),
		}}
	}))
	t.Run("OPR-34 OPR-3 a gateway without a load balancer has none of its settings, which the API server refuses", func(t *testing.T) {
		service, deployment := b.entrance()
		if service.Spec.Type != corev1.ServiceTypeClusterIP || service.Annotations["internal"] != "" || service.Spec.ExternalTrafficPolicy != "" {
			t.Errorf("service %+v", service)
		}
		if *deployment.Spec.Replicas != 1 {
			t.Errorf("%d replicas", *deployment.Spec.Replicas)
		}
	})
}
