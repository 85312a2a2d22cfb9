package managedseed

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	seedmanagementv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
)

func TestConnectionOf(t *testing.T) {
	for name, tc := range map[string]struct{ config, kubeconfig, initial string }{
		"GCM-24 the access of a gardenlet is in the usual Secrets": {"", "garden/gardenlet-kubeconfig", "garden/gardenlet-kubeconfig-bootstrap"},
		"GCM-24 or in those that its configuration names": {
			`{"gardenClientConnection":{"kubeconfigSecret":{"namespace":"a","name":"b"},"bootstrapKubeconfig":{"namespace":"c","name":"d"}}}`, "a/b", "c/d",
		},
	} {
		t.Run(name, func(t *testing.T) {
			gardenlet := &seedmanagementv1alpha1.GardenletConfig{}
			if tc.config != "" {
				gardenlet.Config = &runtime.RawExtension{Raw: []byte(tc.config)}
			}
			got, err := connectionOf(gardenlet)
			if err != nil {
				t.Fatal(err)
			}
			if at := got.KubeconfigSecret.Namespace + "/" + got.KubeconfigSecret.Name; at != tc.kubeconfig {
				t.Errorf("kubeconfig in %s, want %s", at, tc.kubeconfig)
			}
			if at := got.BootstrapKubeconfig.Namespace + "/" + got.BootstrapKubeconfig.Name; at != tc.initial {
				t.Errorf("bootstrap kubeconfig in %s, want %s", at, tc.initial)
			}
		})
	}
}
