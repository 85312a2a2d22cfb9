package integration

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1v1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	operations "github.com/gardener-up/gardener-up/embedded/apis/operations/v1alpha1"
	security "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
	seedmanagement "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
	settings "github.com/gardener-up/gardener-up/embedded/apis/settings/v1alpha1"
)

var number atomic.Int32

// admin is a client of an administrator.
func admin(t *testing.T) client.Client { return clientFor(t, garden.Config) }

// user is a client of somebody who has a role in a namespace.
func user(t *testing.T, name, namespace, role string) client.Client {
	t.Helper()
	create(t, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "test-", Namespace: namespace},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name}},
	})
	config, err := garden.ConfigFor(name)
	if err != nil {
		t.Fatal(err)
	}
	return clientFor(t, config)
}

func clientFor(t *testing.T, config *rest.Config) client.Client {
	t.Helper()
	types := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{scheme.AddToScheme, core.AddToScheme, corev1v1.AddToScheme, security.AddToScheme, seedmanagement.AddToScheme, settings.AddToScheme, operations.AddToScheme} {
		if err := add(types); err != nil {
			t.Fatal(err)
		}
	}
	c, err := client.New(config, client.Options{Scheme: types})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// create makes an object and deletes it after the test.
func create[T client.Object](t *testing.T, object T) T {
	t.Helper()
	c := admin(t)
	if err := c.Create(t.Context(), object); err != nil {
		t.Fatalf("create %T: %v", object, err)
	}
	t.Cleanup(func() { remove(t, c, object) })
	return object
}

// remove also confirms that it is meant.
func remove(t *testing.T, c client.Client, object client.Object) {
	ctx := context.WithoutCancel(t.Context())
	patch := []byte(`{"metadata":{"finalizers":null,"annotations":{"` + constants.ConfirmationDeletion + `":"true"}}}`)
	if err := c.Patch(ctx, object, client.RawPatch("application/merge-patch+json", patch)); client.IgnoreNotFound(err) != nil {
		t.Errorf("confirm deletion of %T: %v", object, err)
	}
	if err := c.Delete(ctx, object); client.IgnoreNotFound(err) != nil && !apierrors.IsConflict(err) {
		t.Errorf("delete %T: %v", object, err)
	}
}

// project makes a project and its namespace, which the project controller would do.
func project(t *testing.T) *core.Project {
	t.Helper()
	name := fmt.Sprintf("p%d", number.Add(1))
	create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: constants.ProjectNamespacePrefix + name}})
	binding(t, constants.ProjectNamespacePrefix+name, "local")
	return create(t, &core.Project{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       core.ProjectSpec{Namespace: ptr.To(constants.ProjectNamespacePrefix + name)},
	})
}

// binding makes a SecretBinding and a Secret for it.
func binding(t *testing.T, namespace, name string, quotas ...corev1.ObjectReference) *core.SecretBinding {
	t.Helper()
	meta := metav1.ObjectMeta{Namespace: namespace, Name: name}
	create(t, &corev1.Secret{ObjectMeta: meta})
	return create(t, &core.SecretBinding{ObjectMeta: meta, SecretRef: corev1.SecretReference{Name: name, Namespace: namespace}, Quotas: quotas, Provider: &core.SecretBindingProvider{Type: "local"}})
}

func cloudProfile(t *testing.T) *core.CloudProfile {
	t.Helper()
	return create(t, &core.CloudProfile{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("profile%d", number.Add(1))},
		Spec: core.CloudProfileSpec{
			Type: "local",
			Kubernetes: core.KubernetesSettings{Versions: []core.ExpirableVersion{
				{Version: "1.36.3"}, {Version: "1.36.10", Classification: ptr.To(core.ClassificationPreview)}, {Version: "1.35.9"}, {Version: "1.35.10"},
			}},
			MachineImages: []core.MachineImage{{Name: "local", Versions: []core.MachineImageVersion{
				{ExpirableVersion: core.ExpirableVersion{Version: "1.0.0"}}, {ExpirableVersion: core.ExpirableVersion{Version: "1.2.0"}},
			}}},
			MachineTypes: []core.MachineType{{Name: "local", CPU: resource.MustParse("2"), GPU: resource.MustParse("0"), Memory: resource.MustParse("4Gi")}},
			Regions:      []core.Region{{Name: "local", Zones: []core.AvailabilityZone{{Name: "0"}}}},
		},
	})
}

func seed(t *testing.T, change ...func(*core.Seed)) *core.Seed {
	t.Helper()
	s := &core.Seed{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("seed%d", number.Add(1))},
		Spec: core.SeedSpec{
			Provider: core.SeedProvider{Type: "local", Region: "local", Zones: []string{"0"}},
			Networks: core.SeedNetworks{Pods: "127.64.0.0/16", Services: "127.96.0.0/16", Nodes: ptr.To("10.0.0.0/16")},
			Ingress:  &core.Ingress{Domain: "ingress.seed.example.org", Controller: core.IngressController{Kind: core.IngressControllerNginx}},
		},
	}
	s.Spec.DNS.Provider = &core.SeedDNSProvider{Type: "local", SecretRef: corev1.SecretReference{Name: "dns", Namespace: "garden"}}
	for _, f := range change {
		f(s)
	}
	return create(t, s)
}

// newShoot is a shoot of the old form that is not created yet.
func newShoot(p *core.Project, profile *core.CloudProfile, change ...func(*core.Shoot)) *core.Shoot {
	s := &core.Shoot{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("s%d", number.Add(1)), Namespace: *p.Spec.Namespace},
		Spec: core.ShootSpec{
			CloudProfile:      &core.CloudProfileReference{Kind: "CloudProfile", Name: profile.Name},
			SecretBindingName: ptr.To("local"),
			Region:            "local",
			Networking:        &core.Networking{Type: ptr.To("calico")},
			Kubernetes:        core.Kubernetes{Version: "1.36.3"},
			Provider:          core.Provider{Type: "local", Workers: []core.Worker{{Name: "local", Minimum: 1, Maximum: 2, Machine: core.Machine{Type: "local"}}}},
		},
	}
	for _, f := range change {
		f(s)
	}
	return s
}

func shoot(t *testing.T, change ...func(*core.Shoot)) *core.Shoot {
	t.Helper()
	return create(t, newShoot(project(t), cloudProfile(t), change...))
}

// merge patches an object, or a subresource of it, with JSON.
func merge(t *testing.T, object client.Object, patch string, subresource ...string) {
	t.Helper()
	if err := tryMerge(t, admin(t), object, patch, subresource...); err != nil {
		t.Fatalf("patch %s of %T: %v", strings.Join(subresource, ""), object, err)
	}
}

func tryMerge(t *testing.T, c client.Client, object client.Object, patch string, subresource ...string) error {
	raw := client.RawPatch("application/merge-patch+json", []byte(patch))
	if len(subresource) > 0 {
		return c.SubResource(subresource[0]).Patch(t.Context(), object, raw)
	}
	return c.Patch(t.Context(), object, raw)
}

func wantStatus(t *testing.T, err error, code int32, part string) {
	t.Helper()
	var status apierrors.APIStatus
	if err == nil {
		t.Fatalf("got no error, want %d with %q", code, part)
	}
	if s, ok := err.(apierrors.APIStatus); ok {
		status = s
	}
	if status == nil || status.Status().Code != code || !strings.Contains(err.Error(), part) {
		t.Errorf("got error %v, want %d with %q", err, code, part)
	}
}

func rawObject(version, kind, namespace, name string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{}}
	object.SetAPIVersion(version)
	object.SetKind(kind)
	object.SetNamespace(namespace)
	object.SetName(name)
	return object
}

func mustJSON(t *testing.T, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// withoutVersion is a copy that does not say which state it replaces.
func withoutVersion(s *core.Shoot) *core.Shoot {
	s = s.DeepCopy()
	s.ResourceVersion = ""
	s.APIVersion, s.Kind = core.SchemeGroupVersion.String(), "Shoot"
	return s
}
