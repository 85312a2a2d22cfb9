package admission

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	operations "github.com/gardener-up/gardener-up/embedded/apis/operations/v1alpha1"
	security "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
	seedmanagement "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
	settings "github.com/gardener-up/gardener-up/embedded/apis/settings/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/admissiontest"
	gardeninitializer "github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/internal/gardendomains"
	"github.com/gardener-up/gardener-up/embedded/testmutation"
)

// tenant is the namespace of the project in the world of the fuzz tests.
const tenant = "garden-p"

func meta(namespace string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: testmutation.Text}
}

// theirs are objects that tenants write, one of each kind. They refer to each other.
func theirs() []runtime.Object {
	seed, binding := testmutation.Text, testmutation.Text
	parent := core.CloudProfileReference{Kind: "CloudProfile", Name: testmutation.Text}
	return []runtime.Object{
		&core.Shoot{ObjectMeta: meta(tenant), Spec: core.ShootSpec{
			CloudProfile: &parent, Region: "r", SecretBindingName: &binding, SeedName: &seed, Kubernetes: core.Kubernetes{Version: "1.36.3"},
			Networking: &core.Networking{Pods: new("100.96.0.0/11"), Services: new("100.64.0.0/13"), Nodes: new("10.10.0.0/16")},
			Provider: core.Provider{Type: "local", Workers: []core.Worker{{
				Name: "w", Maximum: 1, Machine: core.Machine{Type: "m", Image: &core.ShootMachineImage{Name: "i", Version: new("1.0.0")}},
			}}},
		}},
		&core.Project{ObjectMeta: meta(""), Spec: core.ProjectSpec{Namespace: new(tenant)}},
		&core.Plant{ObjectMeta: meta(tenant), Spec: core.PlantSpec{SecretRef: corev1.LocalObjectReference{Name: testmutation.Text}}},
		&core.Quota{ObjectMeta: meta(tenant), Spec: core.QuotaSpec{
			Scope: corev1.ObjectReference{APIVersion: "core.gardener.cloud/v1beta1", Kind: "Project"}, ClusterLifetimeDays: new(int32(9)),
			Metrics: corev1.ResourceList{"cpu": resource.MustParse("9"), "memory": resource.MustParse("9Gi"), "storage.standard": resource.MustParse("9Gi")},
		}},
		&core.SecretBinding{
			ObjectMeta: meta(tenant), SecretRef: corev1.SecretReference{Namespace: tenant, Name: testmutation.Text}, Provider: &core.SecretBindingProvider{Type: "local"},
			Quotas: []corev1.ObjectReference{{Namespace: tenant, Name: testmutation.Text}},
		},
		&core.NamespacedCloudProfile{ObjectMeta: meta(tenant), Spec: core.NamespacedCloudProfileSpec{Parent: parent}},
		&security.CredentialsBinding{
			ObjectMeta: meta(tenant), Provider: security.CredentialsBindingProvider{Type: "local"},
			CredentialsRef: corev1.ObjectReference{APIVersion: "v1", Kind: "Secret", Namespace: tenant, Name: testmutation.Text},
		},
		&security.WorkloadIdentity{ObjectMeta: meta(tenant)},
		&operations.Bastion{ObjectMeta: meta(tenant), Spec: operations.BastionSpec{ShootRef: corev1.LocalObjectReference{Name: testmutation.Text}}},
		&settings.OpenIDConnectPreset{ObjectMeta: meta(tenant), Spec: settings.OpenIDConnectPresetSpec{Weight: 1}},
		&seedmanagement.ManagedSeed{ObjectMeta: meta("garden"), Spec: seedmanagement.ManagedSeedSpec{
			Shoot: &seedmanagement.Shoot{Name: testmutation.Text}, Gardenlet: &seedmanagement.GardenletConfig{},
		}},
	}
}

// operators are objects that operators write. Plugins compare those of tenants with them.
func operators() []runtime.Object {
	seed := testmutation.Text
	return []runtime.Object{
		&core.Seed{ObjectMeta: meta(""), Spec: core.SeedSpec{
			Provider: core.SeedProvider{Type: "local", Region: "r"}, Networks: core.SeedNetworks{Pods: "127.64.0.0/16", Services: "127.96.0.0/16", Nodes: new("127.0.0.0/24")},
			Backup: &core.Backup{Provider: "local", SecretRef: corev1.SecretReference{Namespace: "garden", Name: testmutation.Text}},
		}},
		&core.CloudProfile{ObjectMeta: meta(""), Spec: core.CloudProfileSpec{
			Type: "local", Regions: []core.Region{{Name: "r"}}, MachineTypes: []core.MachineType{{Name: "m"}},
			Kubernetes:    core.KubernetesSettings{Versions: []core.ExpirableVersion{{Version: "1.36.3"}}},
			MachineImages: []core.MachineImage{{Name: "i", Versions: []core.MachineImageVersion{{ExpirableVersion: core.ExpirableVersion{Version: "1.0.0"}}}}},
		}},
		&core.ExposureClass{ObjectMeta: meta("")}, &settings.ClusterOpenIDConnectPreset{ObjectMeta: meta("")},
		&core.ControllerRegistration{ObjectMeta: meta(""), Spec: core.ControllerRegistrationSpec{Resources: []core.ControllerResource{{Kind: "Worker", Type: "local"}}}},
		&core.BackupBucket{ObjectMeta: meta(""), Spec: core.BackupBucketSpec{Provider: core.BackupBucketProvider{Type: "local"}, SeedName: &seed}},
		&core.BackupEntry{ObjectMeta: meta(tenant), Spec: core.BackupEntrySpec{BucketName: testmutation.Text, SeedName: &seed}},
		&core.ControllerInstallation{ObjectMeta: meta(""), Spec: core.ControllerInstallationSpec{SeedRef: &corev1.ObjectReference{Name: seed}}},
	}
}

// gardenOf has the Secrets and ConfigMaps to which filled objects refer.
func gardenOf() kubernetes.Interface {
	var objects []runtime.Object
	for _, namespace := range []string{tenant, "garden", testmutation.Text} {
		objects = append(objects, &corev1.Secret{ObjectMeta: meta(namespace), Data: map[string][]byte{"kubeconfig": []byte("x"), testmutation.Text: []byte("x")}},
			&corev1.ConfigMap{ObjectMeta: meta(namespace), Data: map[string]string{"config.yaml": "a: [b", "policy": "{}"}})
	}
	return fake.NewClientset(objects...)
}

// handOver gives a plugin what the server would.
func handOver(plugin admission.Interface, objects admissiontest.Objects, garden kubernetes.Interface) {
	domains := func(names ...string) gardendomains.Source {
		return func(context.Context) (out []gardendomains.Domain, _ error) {
			for _, name := range names {
				out = append(out, gardendomains.Domain{Name: name, Provider: "local", Secret: testmutation.Text})
			}
			return out, nil
		}
	}
	gardeninitializer.Initializer{Objects: objects, Domains: domains("example.org"), Reserved: domains("garden.example.net")}.Initialize(plugin)
	if wants, ok := plugin.(initializer.WantsExternalKubeClientSet); ok {
		wants.SetExternalKubeClientSet(garden)
	}
	if wants, ok := plugin.(interface{ SetAuthorizer(authorizer.Authorizer) }); ok {
		wants.SetAuthorizer(authorizerfactory.NewAlwaysAllowAuthorizer())
	}
}
