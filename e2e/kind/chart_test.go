package kind

import (
	"encoding/base64"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/controllerinstallation/chart/charttest"
)

var charts = []step{
	{"GLT-22 the controller of an extension runs in the seed by its chart, and reaches the garden", chart, true},
}

// charted is an extension whose chart has a controller, which is the program of these tests.
const charted = `apiVersion: core.gardener.cloud/v1beta1
kind: ControllerDeployment
metadata: {name: charted}
type: helm
providerConfig: {chart: %s, values: {image: %q, greeting: from the deployment}}
---
apiVersion: core.gardener.cloud/v1beta1
kind: ControllerRegistration
metadata: {name: charted}
spec:
  resources: [{kind: Extension, type: charted}]
  deployment: {policy: Always, deploymentRefs: [{name: charted}]}
`

func chart(t *testing.T, f *fixture) {
	archive := base64.StdEncoding.EncodeToString(charttest.Pack(t, os.DirFS("testdata/chart")))
	f.Kubectl(f.Garden(), "apply", "-f", f.File("charted.yaml", fmt.Sprintf(charted, archive, echo)))
	const one = `{range .items[?(@.spec.registrationRef.name=="charted")]}{.metadata.name}{range .status.conditions[*]} {.type}={.status}{end}{end}`
	installation := ""
	f.await(3*time.Minute, "the extension is installed and healthy", func() (bool, string) {
		said := f.TryKubectl(f.Garden(), "get", "controllerinstallations", "-o", "jsonpath="+one)
		installation, _, _ = strings.Cut(said.Stdout, " ")
		return strings.Contains(said.Stdout, "Installed=True") && strings.Contains(said.Stdout, "Healthy=True"), said.Stdout + said.Stderr
	})
	namespace := "extension-" + installation
	if pods := f.Kubectl(f.Seed(), "-n", namespace, "get", "pods", "-o", `jsonpath={range .items[*]}{.status.conditions[?(@.type=="Ready")].status} {.spec.containers[0].env[?(@.name=="GREETING")].value}{end}`); pods != "True from the deployment" {
		t.Errorf("the pod of the controller: %q", pods)
	}
	if got := f.Kubectl(f.Seed(), "-n", namespace, "exec", "deployment/controller", "--", "echo", "print", "in the seed"); got != "in the seed\n" {
		t.Errorf("the controller prints %q", got)
	}
	const kubeconfig = "/var/run/secrets/gardener.cloud/garden/generic-kubeconfig/kubeconfig" // as GARDEN_KUBECONFIG says
	if got := f.Kubectl(f.Seed(), "-n", namespace, "get", "deployment", "controller", "-o", `jsonpath={.spec.template.spec.containers[0].env[?(@.name=="GARDEN_KUBECONFIG")].value}`); got != kubeconfig {
		t.Errorf("the kubeconfig of the garden is in %q", got)
	}
	f.await(time.Minute, "the controller is known in the garden", func() (bool, string) {
		r := f.TryKubectl(f.Seed(), "-n", namespace, "exec", "deployment/controller", "--", "/kubectl", "--kubeconfig="+kubeconfig, "auth", "whoami", "-o", "jsonpath={.status.userInfo.username}")
		return r.Stdout == "system:serviceaccount:seed-local:"+namespace, r.Stdout + r.Stderr
	})
	f.Kubectl(f.Garden(), "delete", "controllerregistration", "charted", "--timeout=10m")
	f.Kubectl(f.Garden(), "delete", "controllerdeployment", "charted")
	if left := f.Kubectl(f.Seed(), "get", "namespace", namespace, "--ignore-not-found"); left != "" {
		t.Errorf("left in the seed: %s", left)
	}
}
