package metricsserver

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/managedresource"
)

func values(inShoot bool) Values {
	return Values{Namespace: "shoot--sky--sun", Replicas: 1, InShoot: inShoot, Secrets: Secrets{
		Server: "server", KubeletCA: "kubelets", KubeletClient: "client",
		CAData: []byte("CA"), ServerCert: []byte("CERT"), ServerKey: []byte("KEY"), KubeletCAData: []byte("KUBELETS"),
	}}
}

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

func TestTheAPILeadsToTheServer(t *testing.T) {
	t.Run("API-21 without a tunnel to a Service of the seed", func(t *testing.T) {
		objects, deployment := SeedObjects(values(false))
		seed := find[*corev1.Service](t, objects, Name)
		for key, value := range seed.Spec.Selector {
			if deployment.Spec.Template.Labels[key] != value {
				t.Errorf("the Service selects %v, the pods have %v", seed.Spec.Selector, deployment.Spec.Template.Labels)
			}
		}
		shoot := ShootObjects(values(false))
		name := find[*corev1.Service](t, shoot, Name)
		api := find[*apiregistrationv1.APIService](t, shoot, "v1beta1.metrics.k8s.io")
		if want := seed.Name + "." + seed.Namespace + ".svc"; name.Spec.ExternalName != want || *api.Spec.Service.Port != seed.Spec.Ports[0].Port {
			t.Errorf("name %q at %d, want %q at %d", name.Spec.ExternalName, *api.Spec.Service.Port, want, seed.Spec.Ports[0].Port)
		}
		if slices.ContainsFunc(shoot, func(o client.Object) bool { _, ok := o.(*appsv1.Deployment); return ok }) {
			t.Error("there is a second server in the shoot")
		}
	})
	t.Run("API-21 through a tunnel to a Service of the shoot", func(t *testing.T) {
		shoot := ShootObjects(values(true))
		service, deployment := find[*corev1.Service](t, shoot, Name), find[*appsv1.Deployment](t, shoot, Name)
		api := find[*apiregistrationv1.APIService](t, shoot, "v1beta1.metrics.k8s.io")
		if *api.Spec.Service.Port != service.Spec.Ports[0].Port || string(api.Spec.CABundle) != "CA" {
			t.Errorf("port %d of %d, CA %q", *api.Spec.Service.Port, service.Spec.Ports[0].Port, api.Spec.CABundle)
		}
		container := deployment.Spec.Template.Spec.Containers[0]
		if service.Spec.Ports[0].TargetPort.IntVal != container.Ports[0].ContainerPort || cmp.Diff(service.Spec.Selector, deployment.Spec.Selector.MatchLabels) != "" {
			t.Errorf("service %+v, container %+v", service.Spec, container.Ports)
		}
		for _, volume := range deployment.Spec.Template.Spec.Volumes {
			find[*corev1.Secret](t, shoot, volume.Secret.SecretName)
		}
	})
}

func TestTheServerHasItsRightsWhereverItRuns(t *testing.T) {
	for name, tc := range map[string]struct {
		inShoot bool
		want    rbacv1.Subject
	}{
		"by its certificate in the seed":      {false, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: User}},
		"by its service account in the shoot": {true, rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Name: Name, Namespace: "kube-system"}},
	} {
		t.Run(name, func(t *testing.T) {
			binding := find[*rbacv1.ClusterRoleBinding](t, ShootObjects(values(tc.inShoot)), "system:metrics-server")
			if diff := cmp.Diff([]rbacv1.Subject{tc.want}, binding.Subjects); diff != "" {
				t.Errorf("subjects (-want +got):\n%s", diff)
			}
		})
	}
}

func TestObjectsCanBeManaged(t *testing.T) {
	secret, _, err := managedresource.Build(Resource, "shoot--sky--sun", false, ShootObjects(values(true))...)
	if err != nil {
		t.Fatal(err)
	}
	if api := string(secret.Data["APIService____v1beta1.metrics.k8s.io.yaml"]); !strings.Contains(api, "apiVersion: apiregistration.k8s.io/v1") {
		t.Errorf("API service: %q", api)
	}
}
