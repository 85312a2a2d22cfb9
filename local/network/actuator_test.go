package network

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/yaml"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/providers/contract"
)

const daemonOfTest = "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: podnet, namespace: kube-system}\n"

func TestReconcile(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		t.Fatal(err)
	}
	measured := api.NetworkStatus{Components: map[string]bool{"podnet": true}, ConnectivityTests: &api.ConnectivityTests{Pods: ptr.To(true)}}
	asleep := &contract.Cluster{Shoot: &gardencorev1beta1.Shoot{Spec: gardencorev1beta1.ShootSpec{Hibernation: &gardencorev1beta1.Hibernation{Enabled: ptr.To(true)}}}}
	for name, tc := range map[string]struct {
		actuator    Actuator
		cluster     *contract.Cluster
		was         *runtime.RawExtension
		files       []string
		components  map[string]bool
		notMeasured string
	}{
		"NWX-3 embedded nodes need the configuration only": {
			files: []string{"configmap-network-config.yaml"}, notMeasured: "nothing was measured yet",
		},
		"NWX-4 nothing is claimed where nobody looks": {
			actuator: Actuator{Unchecked: true},
			files:    []string{"configmap-network-config.yaml"}, was: api.Encode(measured), notMeasured: "nobody asks",
		},
		"NWX-3 machines that are containers get their network and pods that try it": {
			actuator: Actuator{Manifest: daemonOfTest, Image: "image"}, notMeasured: "nothing was measured yet",
			files: []string{"configmap-network-config.yaml", "daemonset-connectivity-test.yaml", "network.yaml", "networkpolicy-connectivity-test.yaml", "service-connectivity-test.yaml"},
		},
		"NWX-4 what was measured stays": {
			actuator: Actuator{Manifest: daemonOfTest}, was: api.Encode(measured), components: map[string]bool{"podnet": true},
			files: []string{"configmap-network-config.yaml", "network.yaml"},
		},
		"NWX-4 nothing is claimed about a shoot that sleeps": {
			actuator: Actuator{Manifest: daemonOfTest}, cluster: asleep, was: api.Encode(measured), notMeasured: "hibernated",
			files: []string{"configmap-network-config.yaml", "network.yaml"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			tc.actuator.Client = fake.NewClientBuilder().WithScheme(scheme).Build()
			network := &extensionsv1alpha1.Network{ObjectMeta: metav1.ObjectMeta{Namespace: "shoot--p--s", Name: "s"}, Spec: extensionsv1alpha1.NetworkSpec{DefaultSpec: extensionsv1alpha1.DefaultSpec{Type: "local"}}}
			network.Status.ProviderStatus = tc.was
			if err := tc.actuator.Reconcile(t.Context(), tc.cluster, network); err != nil {
				t.Fatal(err)
			}
			secret := &corev1.Secret{}
			if err := tc.actuator.Client.Get(t.Context(), client.ObjectKey{Namespace: "shoot--p--s", Name: "managedresource-extension-networking-local"}, secret); err != nil {
				t.Fatal(err)
			}
			var files []string
			for file := range secret.Data {
				files = append(files, file)
			}
			slices.Sort(files)
			if diff := cmp.Diff(tc.files, files); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if data, tries := secret.Data["daemonset-connectivity-test.yaml"]; tries {
				daemon := appsv1.DaemonSet{}
				if err := yaml.UnmarshalStrict(data, &daemon); err != nil || daemon.Spec.Template.Spec.Containers[0].Image != "image" {
					t.Errorf("%v in %s", err, data)
				}
			}
			status := api.NetworkStatus{}
			if err := api.Decode(network.Status.ProviderStatus, &status); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.components, status.Components); diff != "" || (status.ConnectivityTests != nil) != (tc.components != nil) {
				t.Errorf("components (-want +got):\n%s\nconnectivity tests %+v", diff, status.ConnectivityTests)
			}
			if !strings.Contains(status.NotMeasured, tc.notMeasured) || tc.notMeasured == "" && status.NotMeasured != "" {
				t.Errorf("not measured is %q, want %q", status.NotMeasured, tc.notMeasured)
			}
		})
	}
}
