// Package integration tests the component scheduler with its configuration file against a real Gardener API.
package integration

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-logr/logr"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gardener-up/gardener-up/controllers/scheduler"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/gardenapitest"
)

const namespace = "garden-near"

func TestMinimalDistance(t *testing.T) {
	log.SetLogger(logr.Discard())
	env, err := gardenapitest.Start(gardenapitest.Options{})
	if err != nil {
		t.Fatal("start garden:", err)
	}
	t.Cleanup(env.Stop)
	garden := clientOf(t, env)
	near := newSeed("near", "eu-east-1")
	for _, object := range []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "garden"}},
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}},
		&gardencorev1beta1.Project{ObjectMeta: metav1.ObjectMeta{Name: "near"}, Spec: gardencorev1beta1.ProjectSpec{Namespace: ptr.To(namespace)}},
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "local"}},
		&gardencorev1beta1.SecretBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "local"}, Provider: &gardencorev1beta1.SecretBindingProvider{Type: "local"},
			SecretRef: corev1.SecretReference{Namespace: namespace, Name: "local"},
		},
		newCloudProfile("eu-west-1", "eu-east-1", "us-east-1", "us-west-2"), near, newSeed("far", "us-east-1"), newSeed("middle", "us-west-2"),
	} {
		if err := garden.Create(t.Context(), object); err != nil && !apierrors.IsAlreadyExists(err) {
			t.Fatalf("create %T %s: %v", object, object.GetName(), err)
		}
	}
	for _, name := range []string{"near", "far", "middle"} {
		ready(t, garden, name)
	}
	health := start(t, env)

	t.Run("SCH-10 SCH-12 a shoot gets a seed in the nearest region", func(t *testing.T) {
		if got := seedOf(t, env, "west", "eu-west-1"); got != "near" {
			t.Errorf("seed %q, want near", got)
		}
	})
	t.Run("SCH-13 a seed in the same region wins, though the other region has less shoots", func(t *testing.T) {
		for _, name := range []string{"one", "two"} {
			if got := seedOf(t, env, name, "us-west-2"); got != "middle" {
				t.Errorf("seed %q, want middle", got)
			}
		}
	})
	t.Run("SCH-2 the process serves and elects as the file says", func(t *testing.T) {
		answer, err := http.Get(health)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		lease := &coordinationv1.Lease{}
		err = garden.Get(t.Context(), client.ObjectKey{Namespace: "garden", Name: "elected"}, lease)
		if err != nil || answer.StatusCode != http.StatusOK || ptr.Deref(lease.Spec.HolderIdentity, "") == "" {
			t.Errorf("health %d, lease %+v (%v)", answer.StatusCode, lease.Spec, err)
		}
	})
}

// start runs the component until the test ends. It returns the URL of its health.
func start(t *testing.T, env *gardenapitest.Garden) string {
	t.Helper()
	port, err := gardenapitest.FreePort("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "scheduler.yaml")
	content := fmt.Sprintf(`apiVersion: scheduler.config.gardener.cloud/v1alpha1
kind: SchedulerConfiguration
clientConnection: {kubeconfig: %s, qps: 100, burst: 130}
leaderElection: {resourceName: elected}
server: {healthProbes: {bindAddress: 127.0.0.1, port: %d}}
schedulers: {shoot: {candidateDeterminationStrategy: MinimalDistance}}
`, env.Kubeconfig, port)
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd, ended := scheduler.Command(), make(chan error, 1)
	cmd.SetArgs([]string{"--config", file})
	ctx, cancel := context.WithCancel(context.Background())
	go func() { ended <- cmd.ExecuteContext(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error("the scheduler ended:", err)
		}
	})
	return fmt.Sprintf("http://127.0.0.1:%d/healthz", port)
}

func clientOf(t *testing.T, env *gardenapitest.Garden) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := install.AddGarden(scheme); err != nil {
		t.Fatal(err)
	}
	garden, err := client.New(env.Config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return garden
}

// seedOf creates a shoot and returns the seed that it gets.
func seedOf(t *testing.T, env *gardenapitest.Garden, name, region string) string {
	t.Helper()
	garden := clientOf(t, env)
	shoot := &gardencorev1beta1.Shoot{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
		Spec: gardencorev1beta1.ShootSpec{
			CloudProfile:      &gardencorev1beta1.CloudProfileReference{Kind: "CloudProfile", Name: "near"},
			SecretBindingName: ptr.To("local"), Region: region, Networking: &gardencorev1beta1.Networking{Type: ptr.To("calico")},
			Kubernetes: gardencorev1beta1.Kubernetes{Version: "1.36.3"},
			Provider: gardencorev1beta1.Provider{Type: "local", Workers: []gardencorev1beta1.Worker{
				{Name: "local", Minimum: 1, Maximum: 2, Machine: gardencorev1beta1.Machine{Type: "local"}},
			}},
		},
	}
	if err := garden.Create(t.Context(), shoot); err != nil {
		t.Fatal("create shoot:", err)
	}
	env.Until(t, "shoot "+name, func(ctx context.Context) error {
		if err := garden.Get(ctx, client.ObjectKeyFromObject(shoot), shoot); err != nil {
			return err
		}
		if shoot.Spec.SeedName == nil {
			return fmt.Errorf("it has no seed: %+v", shoot.Status.LastOperation)
		}
		return nil
	})
	return *shoot.Spec.SeedName
}

func newSeed(name, region string) *gardencorev1beta1.Seed {
	return &gardencorev1beta1.Seed{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: gardencorev1beta1.SeedSpec{
			Provider: gardencorev1beta1.SeedProvider{Type: "local", Region: region},
			Networks: gardencorev1beta1.SeedNetworks{Pods: "10.1.0.0/16", Services: "10.2.0.0/16", Nodes: ptr.To("10.0.0.0/16")},
			Ingress:  &gardencorev1beta1.Ingress{Domain: name + ".example.org", Controller: gardencorev1beta1.IngressController{Kind: "nginx"}},
			DNS: gardencorev1beta1.SeedDNS{Provider: &gardencorev1beta1.SeedDNSProvider{
				Type: "local", SecretRef: corev1.SecretReference{Name: "dns", Namespace: "garden"},
			}},
		},
	}
}

// ready reports the conditions of a seed that a gardenlet has set up.
func ready(t *testing.T, garden client.Client, name string) {
	t.Helper()
	seed := &gardencorev1beta1.Seed{}
	if err := garden.Get(t.Context(), client.ObjectKey{Name: name}, seed); err != nil {
		t.Fatal(err)
	}
	before := seed.DeepCopy()
	for _, kind := range []gardencorev1beta1.ConditionType{"Bootstrapped", "GardenletReady"} {
		seed.Status.Conditions = append(seed.Status.Conditions, gardencorev1beta1.Condition{
			Type: kind, Status: "True", Reason: "Test", Message: "set by a test", LastTransitionTime: metav1.Now(), LastUpdateTime: metav1.Now(),
		})
	}
	if err := garden.Status().Patch(t.Context(), seed, client.MergeFrom(before)); err != nil {
		t.Fatal("report conditions:", err)
	}
}

func newCloudProfile(regions ...string) *gardencorev1beta1.CloudProfile {
	profile := &gardencorev1beta1.CloudProfile{
		ObjectMeta: metav1.ObjectMeta{Name: "near"},
		Spec: gardencorev1beta1.CloudProfileSpec{
			Type:       "local",
			Kubernetes: gardencorev1beta1.KubernetesSettings{Versions: []gardencorev1beta1.ExpirableVersion{{Version: "1.36.3"}}},
			MachineImages: []gardencorev1beta1.MachineImage{{Name: "local", Versions: []gardencorev1beta1.MachineImageVersion{
				{ExpirableVersion: gardencorev1beta1.ExpirableVersion{Version: "1.0.0"}},
			}}},
			MachineTypes: []gardencorev1beta1.MachineType{{Name: "local", CPU: resource.MustParse("2"), GPU: resource.MustParse("0"), Memory: resource.MustParse("4Gi")}},
		},
	}
	for _, region := range regions {
		profile.Spec.Regions = append(profile.Spec.Regions, gardencorev1beta1.Region{Name: region})
	}
	return profile
}
