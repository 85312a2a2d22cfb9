package local_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/local/operatingsystemconfig"
	"github.com/gardener-up/gardener-up/local/registrycache"
	"github.com/gardener-up/gardener-up/local/userdata"
	"github.com/gardener-up/gardener-up/local/webhook"
	"github.com/gardener-up/gardener-up/providers/contract"
)

func TestMirrors(t *testing.T) {
	const own, greeting = "shoot--local--mirrors", "/etc/motd"
	ctx := t.Context()
	for _, object := range []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: own}},
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: own, Name: "ref-login"}, Data: map[string][]byte{"username": []byte("ann"), "password": []byte("pw")}},
	} {
		if err := seed.Create(ctx, object); err != nil {
			t.Fatal(err)
		}
	}
	cluster := &contract.Cluster{Name: own, Shoot: &gardencorev1beta1.Shoot{}, CloudProfile: &gardencorev1beta1.CloudProfile{}}
	cluster.Shoot.Spec.Provider.Type = "local"
	cluster.Shoot.Spec.Resources = []gardencorev1beta1.NamedResourceReference{{Name: "hub", ResourceRef: autoscalingv1.CrossVersionObjectReference{Kind: "Secret", Name: "login", APIVersion: "v1"}}}
	cache := newRegistryCache()
	cache.Namespace = own
	configure := func(caches string) {
		t.Helper()
		cache.Spec.ProviderConfig = &runtime.RawExtension{Raw: []byte(`{"apiVersion":"registry.extensions.gardener.cloud/v1alpha3","kind":"RegistryConfig","caches":` + caches + `}`)}
	}
	actuator := &registrycache.Actuator{Client: seed, Reader: seed, Machines: api.Containers}
	reconcile := func() error {
		t.Helper()
		if cache.ResourceVersion == "" {
			if err := seed.Create(ctx, cache); err != nil {
				t.Fatal(err)
			}
		}
		err := actuator.Reconcile(ctx, cluster, cache)
		if err := seed.Status().Update(ctx, cache); err != nil {
			t.Fatal(err)
		}
		return err
	}
	// nodeFiles are the files that a machine gets of both kinds: when it boots, and when it runs.
	nodeFiles := func(purpose extensionsv1alpha1.OperatingSystemConfigPurpose) (boots, runs map[string]string) {
		t.Helper()
		osc := newOSC()
		osc.Namespace, osc.Name, osc.Spec.Files, osc.Spec.Purpose = own, "osc-"+string(purpose), nil, purpose
		if err := seed.Create(ctx, osc); client.IgnoreAlreadyExists(err) != nil {
			t.Fatal(err)
		} else if err := seed.Get(ctx, client.ObjectKeyFromObject(osc), osc); err != nil {
			t.Fatal(err)
		}
		contents := webhook.Contents{Reader: seed}
		var once []extensionsv1alpha1.File
		for range 2 { // an API server may call the webhook again
			once = slices.Clone(osc.Spec.Files)
			if err := contents.Add(ctx, cluster, osc); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(once, osc.Spec.Files); diff != "" {
			t.Errorf("EXT-10 a second call of the webhook changes the files (-first +second):\n%s", diff)
		}
		systems := &operatingsystemconfig.Actuator{Client: seed, Reader: seed}
		if err := systems.Contract().Reconcile(ctx, cluster, osc); err != nil {
			t.Fatalf("reconcile operating system config: %v", err)
		}
		if len(osc.Status.ExtensionFiles) > 0 {
			t.Errorf("EXT-10 the renderer adds files of its own: %v", osc.Status.ExtensionFiles)
		}
		secret := &corev1.Secret{}
		if err := seed.Get(ctx, client.ObjectKey{Namespace: own, Name: "osc-result-" + osc.Name}, secret); err != nil {
			t.Fatal(err)
		}
		document, err := userdata.Decode(secret.Data["cloud_config"])
		if err != nil {
			t.Fatal(err)
		}
		boots, runs = map[string]string{}, map[string]string{}
		for _, f := range document.Files {
			boots[f.Path] = f.Content
		}
		for _, f := range osc.Spec.Files {
			runs[f.Path] = f.Content.Inline.Data
		}
		delete(boots, greeting)
		delete(runs, greeting)
		return boots, runs
	}
	const hub, other = "/etc/containerd/certs.d/docker.io/hosts.toml", "/etc/containerd/certs.d/registry.k8s.io/hosts.toml"

	t.Run("OSC-8 caches get Services, volumes and credentials in the shoot", func(t *testing.T) {
		configure(`[{"upstream":"docker.io","secretReferenceName":"hub","volume":{"size":"1Gi"},"garbageCollection":{"ttl":"24h"}},{"upstream":"registry.k8s.io"}]`)
		if err := reconcile(); err != nil {
			t.Fatalf("reconcile: %v", err)
		}
		secret := &corev1.Secret{}
		if err := seed.Get(ctx, client.ObjectKey{Namespace: own, Name: "managedresource-extension-registry-cache"}, secret); err != nil {
			t.Fatal(err)
		}
		for key, words := range map[string][]string{
			"StatefulSet-registry-docker-io.yaml":       {"--remote-url=https://registry-1.docker.io", "--ttl=24h0m0s", "replicas: 1", "storage: 1Gi", "--dir=var/lib/registry", "--bind-address=$(POD_IP)", "--credentials-dir=etc/registry-credentials", "networking.gardener.cloud/to-public-networks: allowed"},
			"Service-registry-docker-io.yaml":           {"clusterIP: 100.64.0.32", "port: 5000"},
			"Secret-registry-docker-io.yaml":            {"username: YW5u"},
			"Service-registry-registry-k8s-io.yaml":     {"clusterIP: 100.64.0.33"},
			"StatefulSet-registry-registry-k8s-io.yaml": {"--remote-url=https://registry.k8s.io", "--ttl=168h0m0s", "storage: 10Gi"},
		} {
			for _, word := range words {
				if !strings.Contains(string(secret.Data[key]), word) {
					t.Errorf("%s lacks %q:\n%s", key, word, secret.Data[key])
				}
			}
		}
		if status := string(cache.Status.ProviderStatus.Raw); !strings.Contains(status, `"endpoint":"http://100.64.0.32:5000"`) {
			t.Errorf("status is %s", status)
		}
	})
	t.Run("EXT-10 OSC-8 nodes ask the caches first, those that boot do not", func(t *testing.T) {
		_, runs := nodeFiles(extensionsv1alpha1.OperatingSystemConfigPurposeReconcile)
		if got := runs[hub]; !strings.Contains(got, `server = "https://registry-1.docker.io"`) || !strings.Contains(got, `[host."http://100.64.0.32:5000"]`) {
			t.Errorf("hosts.toml is %q", got)
		}
		if boots, runs := nodeFiles(extensionsv1alpha1.OperatingSystemConfigPurposeProvision); len(boots)+len(runs) > 0 {
			t.Errorf("new machines get %v, %v", boots, runs)
		}
	})
	t.Run("OSC-11 nodes ask the registries that the CloudProfile names, from the beginning", func(t *testing.T) {
		cluster.CloudProfile.Spec.ProviderConfig = &runtime.RawExtension{Raw: []byte(`{"apiVersion":"local.provider.extensions.gardener.cloud/v1alpha1","kind":"CloudProfileConfig",
			"registryMirrors":[{"upstream":"docker.io","hosts":[{"url":"http://172.18.0.1:5001"}]},{"upstream":"mine.example","server":"http://172.18.0.1:5001","hosts":[{"url":"http://172.18.0.1:5001"}]}]}`)}
		boots, _ := nodeFiles(extensionsv1alpha1.OperatingSystemConfigPurposeProvision)
		if !strings.Contains(boots[hub], `[host."http://172.18.0.1:5001"]`) || !strings.Contains(boots["/etc/containerd/certs.d/mine.example/hosts.toml"], `server = "http://172.18.0.1:5001"`) {
			t.Errorf("new machines get %v", boots)
		}
		_, runs := nodeFiles(extensionsv1alpha1.OperatingSystemConfigPurposeReconcile)
		if got := runs[hub]; !strings.Contains(got, "100.64.0.32") || strings.Index(got, "100.64.0.32") > strings.Index(got, "172.18.0.1") {
			t.Errorf("the cache in the cluster is not the first: %q", got)
		}
		cluster.CloudProfile.Spec.ProviderConfig = nil
	})
	t.Run("OSC-8 a cache that goes takes its mirror along, the others keep their addresses", func(t *testing.T) {
		configure(`[{"upstream":"registry.k8s.io"},{"upstream":"quay.io"}]`)
		if err := reconcile(); err != nil {
			t.Fatalf("reconcile: %v", err)
		}
		_, runs := nodeFiles(extensionsv1alpha1.OperatingSystemConfigPurposeReconcile)
		if _, still := runs[hub]; still || !strings.Contains(runs[other], "100.64.0.33") || !strings.Contains(runs["/etc/containerd/certs.d/quay.io/hosts.toml"], "100.64.0.34") {
			t.Errorf("files are %v", runs)
		}
	})
	t.Run("OSC-8 EXT-14 mistakes are told, and not tried again", func(t *testing.T) {
		was := cache.DeepCopy()
		configure(`[{"upstream":"https://docker.io"}]`)
		if err := reconcile(); !contract.IsPermanent(err) || !strings.Contains(err.Error(), "caches[0].upstream") {
			t.Errorf("error is %v", err)
		}
		cache.Spec = was.Spec
	})
	t.Run("OSC-8 the mirrors go with the extension", func(t *testing.T) {
		if err := seed.Delete(ctx, cache); err != nil {
			t.Fatal(err)
		}
		if _, runs := nodeFiles(extensionsv1alpha1.OperatingSystemConfigPurposeReconcile); len(runs) > 0 {
			t.Errorf("files are %v", runs)
		}
	})
}
