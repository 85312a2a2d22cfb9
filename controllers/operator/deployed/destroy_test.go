package deployed

import (
	"slices"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/operator/host"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

func namesIn(t *testing.T, list client.ObjectList) (names []string) {
	t.Helper()
	if err := meta.EachListItem(list, func(object runtime.Object) error {
		names = append(names, object.(client.Object).GetName())
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return names
}

func TestDestroy(t *testing.T) {
	foreign := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "credentials"}}
	authority := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "ca-garden-runtime-1", Labels: map[string]string{
		"managed-by": "secrets-manager", "manager-identity": "gardener-operator", "name": "ca-garden-runtime",
	}}}
	b := newBench(t, foreign, authority)
	b.deploy(aGarden())
	users := &resourcesv1alpha1.ManagedResource{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "virtual-garden-access", Finalizers: []string{"resources.gardener.cloud/gardener-resource-manager"}}}
	hook := &admissionregistrationv1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "gardener-resource-manager"}}
	for _, object := range []client.Object{users, hook} {
		if err := b.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("OPR-39 the resource manager lets go of what users manage, while it serves", func(t *testing.T) {
		if err := b.host.Destroy(t.Context(), aGarden(), host.ControlPlane); err == nil || !strings.Contains(err.Error(), `"virtual-garden-access" still exists`) {
			t.Error(err)
		}
	})
	t.Run("OPR-39 a virtual garden that is broken can go, too", func(t *testing.T) {
		if err := b.Delete(t.Context(), b.deployment(apiServer)); err != nil {
			t.Fatal(err)
		}
		if err := b.host.Destroy(t.Context(), aGarden(), host.ControlPlane); err != nil {
			t.Error(err)
		}
	})
	t.Run("OPR-39 what is left is told", func(t *testing.T) {
		etcd := &druidv1alpha1.Etcd{}
		b.read(etcdMain, etcd)
		etcd.Finalizers = []string{"druid.gardener.cloud/etcd-druid"}
		if err := b.Update(t.Context(), etcd); err != nil {
			t.Fatal(err)
		}
		err := b.host.Destroy(t.Context(), aGarden(), host.ETCD)
		if err == nil || !strings.Contains(err.Error(), `"virtual-garden-etcd-main" still exists: the druid`) {
			t.Error(err)
		}
		b.read(etcdMain, etcd)
		if etcd.DeletionTimestamp == nil || etcd.Annotations["confirmation.gardener.cloud/deletion"] != "true" {
			t.Errorf("etcd %+v", etcd.ObjectMeta)
		}
		etcd.Finalizers = nil
		if err := b.Update(t.Context(), etcd); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("OPR-39 nothing is left but what others have made", func(t *testing.T) {
		for _, stage := range slices.Backward(host.Stages()) {
			for range 2 { // also a second time
				if err := b.host.Destroy(t.Context(), aGarden(), stage); err != nil {
					t.Fatalf("stage %s: %v", stage, err)
				}
			}
		}
		if err := b.Get(t.Context(), client.ObjectKeyFromObject(hook), hook); !apierrors.IsNotFound(err) {
			t.Error("the webhooks of the resource manager are left:", err)
		}
		var left []string
		for _, list := range []client.ObjectList{
			&corev1.SecretList{}, &corev1.ConfigMapList{}, &corev1.ServiceList{}, &corev1.ServiceAccountList{}, &appsv1.DeploymentList{}, &appsv1.StatefulSetList{},
			&rbacv1.RoleList{}, &rbacv1.RoleBindingList{}, &druidv1alpha1.EtcdList{}, &resourcesv1alpha1.ManagedResourceList{},
		} {
			if err := b.List(t.Context(), list, client.InNamespace(namespace)); err != nil {
				t.Fatal(err)
			}
			left = append(left, namesIn(t, list)...)
		}
		left = slices.DeleteFunc(left, func(name string) bool { return strings.HasPrefix(name, "observability-ingress-") }) // the operator removes it
		if want := []string{"ca-garden-runtime-1", "credentials"}; !slices.Equal(left, want) {
			t.Errorf("left are %v, want %v", left, want)
		}
	})
}

func TestDestroyInASeed(t *testing.T) {
	for name, deployment := range map[string]string{
		"OPR-39 a seed keeps its resource manager, with its Service and its account":   "gardenlet",
		"OPR-39 so does one whose gardenlet is elsewhere and has no control plane yet": "gardener-seed-admission-controller",
	} {
		t.Run(name, func(t *testing.T) { destroyInASeed(t, deployment) })
	}
}

func destroyInASeed(t *testing.T, deployment string) {
	b := newBench(t)
	b.deploy(aGarden())
	if err := b.Create(t.Context(), &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: deployment}}); err != nil {
		t.Fatal(err)
	}
	for _, stage := range slices.Backward(host.Stages()) {
		if err := b.host.Destroy(t.Context(), aGarden(), stage); err != nil {
			t.Fatalf("stage %s: %v", stage, err)
		}
	}
	for _, object := range []client.Object{&appsv1.Deployment{}, &corev1.Service{}, &corev1.ServiceAccount{}} {
		b.read("gardener-resource-manager", object)
	}
}
