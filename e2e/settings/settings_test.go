// Package settings brings up landscapes whose configuration changes what their API servers do, and who may log in to them.
package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

const plugins = `apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: ShootTolerationRestriction
  configuration:
    apiVersion: shoottolerationrestriction.admission.gardener.cloud/v1alpha1
    kind: Configuration
    defaults: [{key: everywhere}]
    whitelist: [{key: everywhere}, {key: permitted}]
`

// shoot finds no seed, so it stays an object of the API.
const shoot = `apiVersion: core.gardener.cloud/v1beta1
kind: Shoot
metadata: {name: set, namespace: garden-local}
spec:
  cloudProfileName: local
  secretBindingName: local
  region: %s
  seedSelector: {matchLabels: {there: none}}
  tolerations: [{key: %s}]
  kubernetes: {version: %s}
  networking: {type: calico, nodes: 10.10.0.0/16}
  provider: {type: local, workers: [{name: one, minimum: 1, maximum: 1, machine: {type: local, image: {name: local, version: 1.0.0}}}]}
`

func TestGardenerAPIServer(t *testing.T) {
	l := framework.New(t)
	text, err := os.ReadFile(l.Config)
	if err != nil {
		t.Fatal(err)
	}
	settings := fmt.Sprintf("garden: {certificateSigningDuration: 1m, gardenerAPIServer: {admission: {enablePlugins: [ShootVPAEnabledByDefault], disablePlugins: [DeletionConfirmation], configFile: %s},"+
		" featureGates: {AdminKubeconfigRequest: false, CARotation: false}}}\n"+
		"operator: {controllers: {gardenCare: {conditionThresholds: [{type: VirtualGardenAPIServerAvailable, duration: 4s}]}}}\n"+
		"scheduler: {schedulers: {shoot: {candidateDeterminationStrategy: MinimalDistance}}}\n", l.File("admission.yaml", plugins))
	if err := l.Write(l.Config, string(text)+settings); err != nil {
		t.Fatal(err)
	}
	l.Gardener("up")
	l.Kubectl(l.Garden(), "apply", "-f", filepath.Join(framework.Examples(), "10-project.yaml"))
	versions := strings.Fields(l.Kubectl(l.Garden(), "get", "cloudprofile", "local", "-o", "jsonpath={.spec.kubernetes.versions[*].version}"))
	manifest := func(toleration string) string {
		return l.File(toleration+".yaml", fmt.Sprintf(shoot, "local", toleration, versions[0]))
	}
	t.Run("ADM-22 TOL-4 the landscape's whitelist decides on tolerations", func(t *testing.T) {
		if r := l.TryKubectl(l.Garden(), "create", "-f", manifest("other")); r.Code == 0 || !strings.Contains(r.Stderr, "toleration other is not whitelisted") {
			t.Errorf("code %d, %s", r.Code, r.Stderr)
		}
		l.Kubectl(l.Garden(), "create", "-f", manifest("permitted"))
	})
	read := func(path string) string {
		return l.Kubectl(l.Garden(), "-n", "garden-local", "get", "shoot", "set", "-o", "jsonpath="+path)
	}
	t.Run("ADM-23 TOL-4 the landscape's default tolerations are added", func(t *testing.T) {
		if got := read("{.spec.tolerations[*].key}"); got != "permitted everywhere" {
			t.Errorf("tolerations %q", got)
		}
	})
	t.Run("ADM-1 ADM-21 an enabled plugin acts", func(t *testing.T) {
		if got := read("{.spec.kubernetes.verticalPodAutoscaler.enabled}"); got != "true" {
			t.Errorf("the vertical pod autoscaler is enabled: %q", got)
		}
	})
	t.Run("AKC-7 without the gate there are no kubeconfigs", func(t *testing.T) {
		request := l.File("request.json", `{"apiVersion":"authentication.gardener.cloud/v1alpha1","kind":"AdminKubeconfigRequest","spec":{}}`)
		const path = "/apis/core.gardener.cloud/v1beta1/namespaces/garden-local/shoots/set/adminkubeconfig"
		if r := l.TryKubectl(l.Garden(), "create", "--raw", path, "-f", request); r.Code == 0 || !strings.Contains(r.Stderr, "could not find the requested resource") {
			t.Errorf("code %d, %s", r.Code, r.Stderr)
		}
	})
	t.Run("CAR-1 without the gate no authority is rotated", func(t *testing.T) {
		r := l.TryKubectl(l.Garden(), "-n", "garden-local", "annotate", "shoot", "set", "gardener.cloud/operation=rotate-ca-start")
		if r.Code == 0 || !strings.Contains(r.Stderr, "ShootCARotation") {
			t.Errorf("code %d, %s", r.Code, r.Stderr)
		}
	})
	t.Run("SCH-10 SCH-12 a shoot in a region without seeds gets the nearest seed", func(t *testing.T) {
		l.Kubectl(l.Garden(), "patch", "cloudprofile", "local", "--type=json", "-p", `[{"op":"add","path":"/spec/regions/-","value":{"name":"local-west"}}]`)
		manifest := strings.NewReplacer("name: set,", "name: far,", "  seedSelector: {matchLabels: {there: none}}\n", "").
			Replace(fmt.Sprintf(shoot, "local-west", "permitted", versions[0]))
		l.Eventually(time.Minute, "the shoot is taken", func() (bool, string) { // once the admission knows the region
			r := l.TryKubectl(l.Garden(), "apply", "-f", l.File("far.yaml", manifest))
			return r.Code == 0, r.Stderr
		})
		l.Kubectl(l.Garden(), "-n", "garden-local", "wait", "shoot", "far", "--for=jsonpath={.spec.seedName}=local", "--timeout=10m")
	})
	t.Run("GLT-4 the gardenlet renews a certificate that the garden signs for a minute", func(t *testing.T) {
		kubeconfig := func() string {
			return l.Kubectl(l.Seed(), "-n", "garden", "get", "secret", "gardenlet-kubeconfig", "-o", "jsonpath={.data.kubeconfig}")
		}
		for range 2 { // the first one may have been requested long before
			before := kubeconfig()
			l.Eventually(3*time.Minute, "another certificate", func() (bool, string) { return kubeconfig() != before, "the certificate is the same" })
		}
		l.Kubectl(l.Garden(), "wait", "seed", "local", "--for=condition=GardenletReady", "--timeout=10m")
	})
	t.Run("the Garden of the landscape", func(t *testing.T) { theGarden(t, l) })
	t.Run("ADM-1 a disabled plugin does nothing", func(t *testing.T) {
		l.Kubectl(l.Garden(), "-n", "garden-local", "delete", "shoot", "set", "--dry-run=server")
	})
}
