package local_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
)

// networkManifest makes the network of the manager's shoots.
const networkManifest = `apiVersion: apps/v1
kind: DaemonSet
metadata: {name: testnet, namespace: kube-system, annotations: {range: "{{ .PodSubnet }}"}}
`

// networkTest is a Network, whose shoot is the seed itself.
type networkTest struct {
	*extensionsv1alpha1.Network
	resource *resourcesv1alpha1.ManagedResource
	daemon   *appsv1.DaemonSet
}

func networks(t *testing.T) {
	const own = "shoot--local--network"
	n := &networkTest{
		Network:  newNetwork(),
		resource: &resourcesv1alpha1.ManagedResource{ObjectMeta: metav1.ObjectMeta{Namespace: own, Name: "extension-networking-local"}},
		daemon:   &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "testnet"}},
	}
	n.Network.Namespace, n.Network.Annotations = own, map[string]string{"gardener.cloud/operation": "reconcile"}
	n.Network.Spec.ProviderConfig = &runtime.RawExtension{Raw: []byte(`{"backend":"birdd"}`)}
	for _, object := range []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: own}},
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: own, Name: "gardener-internal"}, Data: map[string][]byte{"kubeconfig": []byte("it is not read")}},
		n.Network,
	} {
		if err := seed.Create(t.Context(), object); err != nil {
			t.Fatalf("create %T: %v", object, err)
		}
	}
	for _, stage := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"NWX-2 a configuration that cannot be read is refused", n.refused},
		{"NWX-2 NWX-3 NWX-5 a configuration that can be read reaches the shoot", n.accepted},
		{"NWX-4 a daemon that is missing makes the condition False", func(t *testing.T) { n.wantHealth(t, "False", "testnet of the network is missing", false) }},
		{"NWX-4 a healthy one makes it True", n.healthy},
		{"NWX-4 a broken one makes it False at once", n.broken},
		{"NWX-4 what was measured survives a reconciliation", n.again},
		{"NWX-4 a reconciled configuration that is refused is told beside the health", n.refusedLater},
		{"NWX-1 the network goes with its resources", n.deleted},
	} {
		if !t.Run(stage.name, stage.run) {
			return // what follows builds on it
		}
	}
}

func (n *networkTest) read(ctx context.Context) error {
	return seed.Get(ctx, client.ObjectKeyFromObject(n.Network), n.Network)
}

// request changes the configuration and asks for a reconciliation.
func (n *networkTest) request(t *testing.T, config string) {
	t.Helper()
	if err := n.read(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := n.Network.DeepCopy()
	n.Network.Spec.ProviderConfig = &runtime.RawExtension{Raw: []byte(config)}
	n.Network.Annotations = map[string]string{"gardener.cloud/operation": "reconcile"}
	if err := seed.Patch(t.Context(), n.Network, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
}

// ended waits for the end of the last request.
func (n *networkTest) ended(t *testing.T, state gardencorev1beta1.LastOperationState) {
	t.Helper()
	environment.Until(t, "the request has ended", func(ctx context.Context) error {
		if err := n.read(ctx); err != nil {
			return err
		}
		last := n.Network.Status.LastOperation
		if last == nil || last.State != state || n.Network.Status.ObservedGeneration != n.Network.Generation || n.Network.Annotations["gardener.cloud/operation"] != "" {
			return fmt.Errorf("last operation is %+v, annotations %v", last, n.Network.Annotations)
		}
		return nil
	})
}

func (n *networkTest) refused(t *testing.T) {
	n.ended(t, gardencorev1beta1.LastOperationStateError)
	failure := n.Network.Status.LastError
	if failure == nil || !slices.Contains(failure.Codes, gardencorev1beta1.ErrorConfigurationProblem) ||
		!strings.Contains(failure.Description, "providerConfig.backend") || !strings.Contains(failure.Description, `"birdd"`) {
		t.Errorf("last error is %+v", failure)
	}
	if found(t.Context(), n.resource, n.resource.Namespace, n.resource.Name) {
		t.Error("resources are installed all the same")
	}
}

func (n *networkTest) accepted(t *testing.T) {
	const config = `{"apiVersion":"calico.networking.extensions.gardener.cloud/v1alpha1","backend":"bird","ipam":{"cidr":"usePodCIDR","type":"host-local"},"kind":"NetworkConfig","typha":{"enabled":true}}`
	n.request(t, config)
	n.ended(t, gardencorev1beta1.LastOperationStateSucceeded)
	secret := &corev1.Secret{}
	if !found(t.Context(), n.resource, n.resource.Namespace, n.resource.Name) || !found(t.Context(), secret, n.resource.Namespace, n.resource.Spec.SecretRefs[0].Name) {
		t.Fatal("there is no managed resource with a secret")
	}
	published := corev1.ConfigMap{}
	if err := yaml.UnmarshalStrict(secret.Data["configmap-network-config.yaml"], &published); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"type": "calico", "podCIDR": "100.96.0.0/11", "serviceCIDR": "100.64.0.0/13", "simulated": "true", "providerConfig": config}
	if diff := cmp.Diff(want, published.Data); diff != "" || published.Namespace != "kube-system" || published.Name != "network-config" {
		t.Errorf("%s/%s (-want +got):\n%s", published.Namespace, published.Name, diff)
	}
	made := appsv1.DaemonSet{}
	if err := yaml.UnmarshalStrict(secret.Data["network.yaml"], &made); err != nil {
		t.Fatal(err)
	}
	if made.Annotations["range"] != "100.96.0.0/11" || made.Labels["node.gardener.cloud/critical-component"] != "true" {
		t.Errorf("the daemon is %+v", made.ObjectMeta)
	}
	status := n.status(t)
	if status.Config == nil || status.Config.PodCIDR != "100.96.0.0/11" || status.Config.ServiceCIDR != "100.64.0.0/13" || string(status.Config.ProviderConfig.Raw) != config {
		t.Errorf("NWX-4 configuration in the status is %+v", status.Config)
	}
}

func (n *networkTest) status(t *testing.T) api.NetworkStatus {
	t.Helper()
	status := api.NetworkStatus{}
	if err := api.Decode(n.Network.Status.ProviderStatus, &status); err != nil || status.Kind != "NetworkStatus" {
		t.Errorf("provider status is %+v, error %v", status, err)
	}
	return status
}

// wantHealth waits for the condition and what the status says about the daemon.
func (n *networkTest) wantHealth(t *testing.T, status gardencorev1beta1.ConditionStatus, message string, component bool) {
	t.Helper()
	environment.Until(t, "the condition is as wanted", func(ctx context.Context) error {
		if err := n.read(ctx); err != nil {
			return err
		}
		for _, condition := range n.Network.Status.Conditions {
			if condition.Type == "SystemComponentsHealthy" && condition.Status == status && strings.Contains(condition.Message, message) {
				return nil
			}
		}
		return fmt.Errorf("conditions are %+v", n.Network.Status.Conditions)
	})
	got := n.status(t)
	if diff := cmp.Diff(map[string]bool{"testnet": component}, got.Components); diff != "" {
		t.Errorf("components (-want +got):\n%s", diff)
	}
	if got.ConnectivityTests != nil || !strings.Contains(got.NotMeasured, "connectivityTests") {
		t.Errorf("connectivity tests are %+v although no pod can try anything; not measured is %q", got.ConnectivityTests, got.NotMeasured)
	}
}

// daemonStatus plays the controller of DaemonSets, and then the resource manager, which notices it.
func (n *networkTest) daemonStatus(t *testing.T, unavailable int32) {
	t.Helper()
	n.daemon.Status = appsv1.DaemonSetStatus{
		ObservedGeneration: n.daemon.Generation, DesiredNumberScheduled: 1, CurrentNumberScheduled: 1, UpdatedNumberScheduled: 1, NumberUnavailable: unavailable,
	}
	if err := seed.Status().Update(t.Context(), n.daemon); err != nil {
		t.Fatal(err)
	}
	before := n.resource.DeepCopy()
	n.resource.Status.ObservedGeneration++
	if err := seed.Status().Patch(t.Context(), n.resource, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
}

func (n *networkTest) healthy(t *testing.T) {
	labels := map[string]string{"app": "testnet"}
	n.daemon.Spec = appsv1.DaemonSetSpec{Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}},
	}}
	if err := seed.Create(t.Context(), n.daemon); err != nil {
		t.Fatal(err)
	}
	n.daemonStatus(t, 0)
	n.wantHealth(t, "True", "healthy", true)
}

func (n *networkTest) broken(t *testing.T) {
	n.daemonStatus(t, 1)
	n.wantHealth(t, "False", "testnet of the network is not available on 1 of 1 nodes", false)
}

func (n *networkTest) again(t *testing.T) {
	n.request(t, `{"backend":"vxlan"}`)
	n.ended(t, gardencorev1beta1.LastOperationStateSucceeded)
	if got := n.status(t); string(got.Config.ProviderConfig.Raw) != `{"backend":"vxlan"}` || len(got.Components) != 1 {
		t.Errorf("status is %+v", got)
	}
	n.daemonStatus(t, 0)
	n.wantHealth(t, "True", "healthy", true)
}

func (n *networkTest) refusedLater(t *testing.T) {
	n.request(t, `{"typha":{"enabled":"yes"}}`)
	n.ended(t, gardencorev1beta1.LastOperationStateError)
	n.daemonStatus(t, 1)
	n.wantHealth(t, "False", "testnet", false)
	if got := n.status(t); string(got.Config.ProviderConfig.Raw) != `{"backend":"vxlan"}` {
		t.Errorf("the status claims the configuration %s", got.Config.ProviderConfig.Raw)
	}
}

func (n *networkTest) deleted(t *testing.T) {
	for _, object := range []client.Object{n.Network, n.daemon} {
		if err := seed.Delete(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "the network is gone", func() bool { return apierrors.IsNotFound(n.read(t.Context())) })
	if found(t.Context(), n.resource, n.resource.Namespace, n.resource.Name) {
		t.Error("the managed resource is still there")
	}
}
