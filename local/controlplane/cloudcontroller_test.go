package controlplane

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/podsignature"
	"github.com/gardener-up/gardener-up/providers/contract"
)

const space = "shoot--sky--sun"

// fixture is a seed with the ControlPlane of one shoot.
type fixture struct {
	*testing.T
	*Actuator
	cp      *extensionsv1alpha1.ControlPlane
	cluster *contract.Cluster
}

func newFixture(t *testing.T) *fixture {
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		t.Fatal(err)
	}
	key, err := podsignature.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	signer, err := podsignature.ParseKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return &fixture{
		T: t, Actuator: &Actuator{Client: fake.NewClientBuilder().WithScheme(scheme).Build(), Image: "gardener", Pods: signer},
		cp:      &extensionsv1alpha1.ControlPlane{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "sun"}},
		cluster: &contract.Cluster{Name: space, Shoot: &gardencorev1beta1.Shoot{}, TokenKubeconfig: "generic-token-kubeconfig-1"},
	}
}

func (f *fixture) exists(object client.Object, name string) bool {
	return f.Client.Get(f.Context(), client.ObjectKey{Namespace: space, Name: name}, object) == nil
}

// deployment is what the seed's resource manager applies.
func (f *fixture) deployment() *appsv1.Deployment {
	f.Helper()
	resource, secret := &resourcesv1alpha1.ManagedResource{}, &corev1.Secret{}
	if !f.exists(resource, "extension-controlplane-seed") || ptr.Deref(resource.Spec.Class, "") != "seed" || resource.Spec.InjectLabels != nil {
		f.Fatalf("the ManagedResource is %+v", resource.Spec)
	}
	if !f.exists(secret, resource.Spec.SecretRefs[0].Name) {
		f.Fatal("it has no objects")
	}
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(secret.Data["objects.yaml"]), 4096)
	for {
		raw := runtime.RawExtension{}
		if err := decoder.Decode(&raw); errors.Is(err, io.EOF) {
			f.Fatal("there is no Deployment")
		} else if err != nil {
			f.Fatal(err)
		}
		deployment := &appsv1.Deployment{}
		if err := yaml.Unmarshal(raw.Raw, deployment); err != nil {
			f.Fatal(err)
		}
		if deployment.Kind == "Deployment" {
			return deployment
		}
	}
}

func (f *fixture) reconcile() *appsv1.Deployment {
	f.Helper()
	if err := f.Reconcile(f.Context(), f.cluster, f.cp); err != nil {
		f.Fatal(err)
	}
	return f.deployment()
}

func TestCloudController(t *testing.T) {
	waits := func(t *testing.T, err error) {
		t.Helper()
		if waiting := (contract.Waiting{}); !errors.As(err, &waiting) {
			t.Errorf("got %v", err)
		}
	}
	t.Run("GLT-30 it waits for the kubeconfig of the shoot", func(t *testing.T) {
		f := newFixture(t)
		f.cluster.TokenKubeconfig = ""
		waits(t, f.Reconcile(t.Context(), f.cluster, f.cp))
		if f.exists(&resourcesv1alpha1.ManagedResource{}, seedName) {
			t.Error("it is deployed without")
		}
	})
	t.Run("GLT-30 it is a part of the control plane", func(t *testing.T) {
		f := newFixture(t)
		d := f.reconcile()
		for key, value := range map[string]string{"gardener.cloud/role": "controlplane", "app": "kubernetes", "role": "cloud-controller-manager"} {
			if d.Labels[key] != value || d.Spec.Template.Labels[key] != value {
				t.Errorf("label %s is %q, of pods %q", key, d.Labels[key], d.Spec.Template.Labels[key])
			}
		}
		for _, label := range []string{"networking.gardener.cloud/to-dns", "networking.gardener.cloud/to-runtime-apiserver", "networking.resources.gardener.cloud/to-kube-apiserver-tcp-443"} {
			if d.Spec.Template.Labels[label] != "allowed" {
				t.Errorf("policies would deny its connections: %s", label)
			}
		}
		if said := string(f.cp.Status.ProviderStatus.Raw); !strings.Contains(said, `"cloudControllerManager":true`) {
			t.Errorf("the status is %s", said)
		}
		if *d.Spec.Replicas != 1 || d.Labels["high-availability-config.resources.gardener.cloud/type"] != "controller" {
			t.Errorf("%d replicas, labels %v", *d.Spec.Replicas, d.Labels)
		}
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "p", Annotations: d.Spec.Template.Annotations}, Spec: d.Spec.Template.Spec}
		if err := f.Pods.Verifier().Verify(pod); err != nil {
			t.Errorf("embedded nodes would not run its pods: %v", err)
		}
	})
	t.Run("GLT-30 it gets a token of a service account and the kubeconfig of extensions", func(t *testing.T) {
		f := newFixture(t)
		text := ""
		for _, source := range f.reconcile().Spec.Template.Spec.Volumes[0].Projected.Sources {
			text += source.Secret.Name + "/" + source.Secret.Items[0].Key + " "
		}
		if text != "generic-token-kubeconfig-1/kubeconfig shoot-access-cloud-controller-manager/token " {
			t.Errorf("it mounts %s", text)
		}
		access := &corev1.Secret{}
		if !f.exists(access, "shoot-access-cloud-controller-manager") || access.Labels["resources.gardener.cloud/purpose"] != "token-requestor" || access.Labels["resources.gardener.cloud/class"] != "shoot" {
			t.Errorf("nobody fills the secret %+v", access.ObjectMeta)
		}
		access.Data = map[string][]byte{"token": []byte("t")}
		if err := f.Client.Update(t.Context(), access); err != nil {
			t.Fatal(err)
		}
		f.cluster.TokenKubeconfig = "generic-token-kubeconfig-2"
		if d := f.reconcile(); d.Spec.Template.Spec.Volumes[0].Projected.Sources[0].Secret.Name != "generic-token-kubeconfig-2" {
			t.Error("it keeps a kubeconfig with a former authority")
		}
		if f.exists(access, access.Name); string(access.Data["token"]) != "t" {
			t.Error("it loses its token")
		}
	})
	t.Run("GLT-30 it stops while the shoot sleeps, and runs when that is deleted", func(t *testing.T) {
		f := newFixture(t)
		f.cluster.Shoot.Spec.Hibernation = &gardencorev1beta1.Hibernation{Enabled: ptr.To(true)}
		if d := f.reconcile(); *d.Spec.Replicas != 0 {
			t.Errorf("%d replicas", *d.Spec.Replicas)
		}
		f.cluster.Shoot.DeletionTimestamp = &metav1.Time{}
		if d := f.reconcile(); *d.Spec.Replicas != 1 {
			t.Errorf("%d replicas", *d.Spec.Replicas)
		}
	})
	t.Run("GLT-30 there are two of it in a tolerant control plane, with a leader", func(t *testing.T) {
		f := newFixture(t)
		args := func(d *appsv1.Deployment) string { return strings.Join(d.Spec.Template.Spec.Containers[0].Args, " ") }
		if got := args(f.reconcile()); !strings.Contains(got, "--leader-elect=false") {
			t.Errorf("arguments %s", got)
		}
		f.cluster.Shoot.Spec.ControlPlane = &gardencorev1beta1.ControlPlane{HighAvailability: &gardencorev1beta1.HighAvailability{
			FailureTolerance: gardencorev1beta1.FailureTolerance{Type: gardencorev1beta1.FailureToleranceTypeNode},
		}}
		if d := f.reconcile(); *d.Spec.Replicas != 2 || !strings.Contains(args(d), "--leader-elect=true") {
			t.Errorf("%d replicas, arguments %s", *d.Spec.Replicas, args(d))
		}
	})
	left := func(f *fixture) (names []string) {
		for _, name := range []string{seedName, shootName, managedResourceName} {
			if f.exists(&resourcesv1alpha1.ManagedResource{}, name) {
				names = append(names, name)
			}
		}
		if f.exists(&corev1.Secret{}, "shoot-access-cloud-controller-manager") {
			names = append(names, "access")
		}
		return names
	}
	for name, end := range map[string]func(*fixture) error{
		"GLT-30 all of it goes with the shoot":          func(f *fixture) error { return f.Delete(f.Context(), f.cluster, f.cp) },
		"GLT-30 all of it goes with a shoot by force":   func(f *fixture) error { return f.ForceDelete(f.Context(), f.cluster, f.cp) },
		"GLT-30 MIG-3 all of it leaves the former seed": func(f *fixture) error { return f.Migrate(f.Context(), f.cluster, f.cp) },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.reconcile()
			waits(t, end(f))
			if got := strings.Join(left(f), " "); !strings.Contains(got, shootName) || strings.Contains(got, seedName) {
				t.Errorf("the rights go before who has them: left are %s", got)
			}
			for range 5 {
				if err := end(f); err == nil {
					break
				}
			}
			if got := left(f); len(got) > 0 {
				t.Errorf("left are %v", got)
			}
		})
	}
}
