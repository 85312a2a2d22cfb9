package rows

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/controllerinstallation/chart/charttest"
)

// registerChart applies a ControllerDeployment and a ControllerRegistration that wants it in each seed.
func registerChart(t *testing.T, f *fixture, name string, archive []byte) {
	t.Helper()
	f.Kubectl(f.Garden(), "apply", "-f", f.File(name+".yaml", `
apiVersion: core.gardener.cloud/v1beta1
kind: ControllerDeployment
metadata: {name: `+name+`}
type: helm
providerConfig:
  chart: `+base64.StdEncoding.EncodeToString(archive)+`
  values: {config: {domain: rows.example.org}}
---
apiVersion: core.gardener.cloud/v1beta1
kind: ControllerRegistration
metadata: {name: `+name+`}
spec:
  resources: [{kind: Extension, type: `+name+`}]
  deployment: {policy: Always, deploymentRefs: [{name: `+name+`}]}
`))
}

// installed waits until the installation has the conditions, and returns its name.
func (f *fixture) installed(registration, want string) (installation string) {
	f.Eventually(2*time.Minute, "the conditions of "+registration, func() (bool, string) {
		const path = `{.metadata.name}{range .status.conditions[*]} {.type}={.status}{end}`
		text := f.get(f.Garden(), []string{"get", "controllerinstallations"}, `{range .items[?(@.spec.registrationRef.name=="`+registration+`")]}`+path+`{end}`)
		name, conditions, _ := strings.Cut(text, " ")
		installation = name
		for _, one := range strings.Fields(want) {
			if !strings.Contains(" "+conditions+" ", " "+one+" ") {
				return false, text
			}
		}
		return true, text
	})
	return installation
}

func charts(t *testing.T, f *fixture) {
	// The chart has a webhook and a kind of its own, and its Deployment runs as a simulated pod.
	shape := os.DirFS("../../controllers/gardenlet/controllerinstallation/chart/testdata/webhook")
	registerChart(t, f, "charted", charttest.Pack(t, shape))
	namespace := "extension-" + f.installed("charted", "Valid=True Installed=True Healthy=True Progressing=False")
	env := f.get(f.Seed(), []string{"-n", namespace, "get", "deployment", "webhook"}, "{.spec.template.spec.containers[0].env[*].value}")
	identity := f.get(f.Garden(), []string{"-n", "kube-system", "get", "configmap", "cluster-identity"}, "{.data.cluster-identity}")
	injected := " local /var/run/secrets/gardener.cloud/garden/generic-kubeconfig/kubeconfig" // SEED_NAME and GARDEN_KUBECONFIG
	if env != identity+" rows.example.org"+injected {
		t.Errorf("the controller learns %q, want the garden %q, the domain of the deployment and%s", env, identity, injected)
	}
	f.Kubectl(f.Seed(), "-n", namespace, "get", "things.webhook.example.org", "default")

	t.Run("GLT-22 a chart that cannot be rendered tells so, and the seed stays usable", func(t *testing.T) { brokenChart(t, f) })

	f.Kubectl(f.Seed(), "apply", "-f", f.File("user.yaml", `
apiVersion: extensions.gardener.cloud/v1alpha1
kind: Extension
metadata: {name: user, namespace: garden}
spec: {type: charted}
`))
	f.Kubectl(f.Garden(), "delete", "controllerregistration", "charted", "--wait=false")
	f.installed("charted", "Required=True")
	f.Kubectl(f.Seed(), "-n", namespace, "get", "deployment", "webhook")
	f.Kubectl(f.Seed(), "-n", "garden", "annotate", "extensions.extensions.gardener.cloud", "user", "confirmation.gardener.cloud/deletion=true")
	f.Kubectl(f.Seed(), "-n", "garden", "delete", "extensions.extensions.gardener.cloud", "user")
	f.Kubectl(f.Garden(), "wait", "--for=delete", "controllerregistration/charted", "--timeout=10m")
	f.Kubectl(f.Garden(), "delete", "controllerdeployment", "charted")
	if left := f.Kubectl(f.Seed(), "get", "namespace", namespace, "--ignore-not-found"); left != "" {
		t.Errorf("left in the seed: %s", left)
	}
	f.Kubectl(f.Seed(), "delete", "crd", "things.webhook.example.org") // stays, as with Helm
}

func brokenChart(t *testing.T, f *fixture) {
	registerChart(t, f, "broken-chart", []byte("no chart"))
	f.installed("broken-chart", "Valid=False Installed=False")
	message := f.get(f.Garden(), []string{"get", "controllerinstallations"}, `{range .items[?(@.spec.registrationRef.name=="broken-chart")].status.conditions[?(@.type=="Valid")]}{.reason}: {.message}{end}`)
	if !strings.Contains(message, "ChartCannotBeRendered") || !strings.Contains(message, "read archive of chart") {
		t.Errorf("the installation says %q", message)
	}
	var seeds []struct {
		Name, Message string
		Ready         bool
	}
	f.Eventually(time.Minute, "the seed is usable and tells of the chart", func() (bool, string) {
		text := f.Gardener("seed", "list", "-o", "json")
		if err := json.Unmarshal([]byte(text), &seeds); err != nil {
			t.Fatal(err)
		}
		return len(seeds) == 1 && seeds[0].Ready && strings.Contains(seeds[0].Message, "broken-chart"), text
	})
	f.Kubectl(f.Garden(), "delete", "controllerregistration", "broken-chart", "--timeout=10m")
	f.Kubectl(f.Garden(), "delete", "controllerdeployment", "broken-chart")
}
