package objects_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/bootstrap/objects"
	"github.com/gardener-up/gardener-up/controllers/operator/config"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
	operatorvalidation "github.com/gardener-up/gardener-up/embedded/apivalidation/operator"
)

func inputs() objects.Inputs {
	return objects.Inputs{Image: "registry.example.org/gardener:v1", ServiceType: corev1.ServiceTypeLoadBalancer, Garden: objects.Garden{
		Name: "garden", Domain: "garden.example.org", Identity: "garden-1", Version: "1.36.3", Pods: "10.244.0.0/16", Services: "10.96.0.0/16",
		VirtualServices: objects.VirtualServices, Zones: []string{"a"}, StorageClass: "fast",
	}}
}

func all(t *testing.T) []client.Object {
	t.Helper()
	made, err := objects.All(inputs())
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func find[T client.Object](t *testing.T) T {
	t.Helper()
	for _, object := range all(t) {
		if found, is := object.(T); is {
			return found
		}
	}
	t.Fatalf("there is no %v", reflect.TypeFor[T]())
	panic("unreachable")
}

func TestAll(t *testing.T) {
	t.Run("APP-25 the same inputs give the same objects", func(t *testing.T) {
		if diff := cmp.Diff(all(t), all(t)); diff != "" {
			t.Errorf("objects (-first +second):\n%s", diff)
		}
	})
	t.Run("APP-25 each object is marked, and has its kind", func(t *testing.T) {
		seen := map[string]bool{}
		for _, object := range all(t) {
			kind, name := object.GetObjectKind().GroupVersionKind(), objects.Describe(object)
			if !objects.Ours(object) || kind.Kind == "" || kind.Version == "" || seen[name] {
				t.Errorf("%s of kind %v: marked %v, seen before %v", name, kind, objects.Ours(object), seen[name])
			}
			seen[name] = true
		}
	})
	t.Run("APP-25 the namespace is first, kinds come before what has them, and the Garden is last", func(t *testing.T) {
		made := all(t)
		var kinds []string
		for _, object := range made {
			if kind := object.GetObjectKind().GroupVersionKind().Kind; len(kinds) == 0 || kinds[len(kinds)-1] != kind {
				kinds = append(kinds, kind)
			}
		}
		want := []string{"Namespace", "CustomResourceDefinition", "ServiceAccount", "ClusterRole", "ClusterRoleBinding", "ConfigMap", "Service", "Deployment", "Garden"}
		if diff := cmp.Diff(want, kinds); diff != "" {
			t.Errorf("kinds (-want +got):\n%s", diff)
		}
	})
}

func TestGarden(t *testing.T) {
	garden := find[*operatorv1alpha1.Garden](t)
	t.Run("APP-25 the Garden is valid", func(t *testing.T) {
		if errs := operatorvalidation.ValidateGarden(garden, operatorvalidation.Host{}); len(errs) > 0 {
			t.Error(errs)
		}
	})
	t.Run("APP-25 volumes of both etcds have the storage class", func(t *testing.T) {
		etcd := garden.Spec.VirtualCluster.ETCD
		if *etcd.Main.Storage.ClassName != "fast" || *etcd.Events.Storage.ClassName != "fast" {
			t.Errorf("storage %+v, %+v", etcd.Main.Storage, etcd.Events.Storage)
		}
	})
}

func TestOperator(t *testing.T) {
	t.Run("APP-25 the operator reads its configuration and runs without rights on its node", func(t *testing.T) {
		cfg, err := config.Decode([]byte(find[*corev1.ConfigMap](t).Data["config.yaml"]))
		if err != nil {
			t.Fatal(err)
		}
		if keys := cfg.WithoutEffect(); len(keys) > 0 {
			t.Errorf("keys without effect: %v", keys)
		}
		pod := find[*appsv1.Deployment](t).Spec.Template.Spec
		container := pod.Containers[0]
		if got := strings.Join(container.Args, " "); got != "component operator --config=etc/gardener-operator/config.yaml --webhook-service=garden/gardener-operator:443 --api-server-service-type=LoadBalancer" {
			t.Errorf("arguments %s", got)
		}
		if container.Image != inputs().Image || !*pod.SecurityContext.RunAsNonRoot || *container.SecurityContext.AllowPrivilegeEscalation {
			t.Errorf("image %s, security %+v, %+v", container.Image, pod.SecurityContext, container.SecurityContext)
		}
		t.Setenv("POD_IP", "10.1.2.3")
		for name, address := range map[string]string{"live": cfg.Server.HealthProbes.Address(), "metrics": cfg.Server.Metrics.Address()} {
			if !strings.HasPrefix(address, "10.1.2.3:275") {
				t.Errorf("%s at %s", name, address)
			}
		}
	})
	t.Run("ETC-2 the operator protects the objects of the Garden's etcds only if that is asked for", func(t *testing.T) {
		const flag = "--etcd-component-protection"
		for _, protect := range []bool{false, true} {
			in := inputs()
			in.ProtectEtcds = protect
			all, err := objects.OperatorObjects(in)
			if err != nil {
				t.Fatal(err)
			}
			args := all[len(all)-1].(*appsv1.Deployment).Spec.Template.Spec.Containers[0].Args
			if got := strings.Contains(strings.Join(args, " "), flag); got != protect {
				t.Errorf("protection %t: arguments %v", protect, args)
			}
		}
	})
}
