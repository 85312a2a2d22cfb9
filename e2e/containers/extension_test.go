package containers

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/controllerinstallation/chart/charttest"
)

// extensionChart is the chart of an extension whose controller is the program of these tests. It is ready when it has reached the garden.
var extensionChart = fstest.MapFS{
	"Chart.yaml": {Data: []byte("apiVersion: v2\nname: sandboxed\nversion: 1.0.0\n")},
	"templates/controller.yaml": {Data: []byte(`apiVersion: apps/v1
kind: Deployment
metadata: {name: controller, labels: {app: controller}}
spec:
  selector: {matchLabels: {app: controller}}
  template:
    metadata:
      labels:
        app: controller
        networking.gardener.cloud/to-dns: allowed
        networking.gardener.cloud/to-public-networks: allowed
        networking.gardener.cloud/to-runtime-apiserver: allowed
        networking.resources.gardener.cloud/to-controller-tcp-http: allowed
    spec:
      containers:
      - name: controller
        image: {{ .Values.image }}
        args: [garden, "8080"]
        ports: [{name: http, containerPort: 8080}]
        securityContext: {runAsUser: 1000}
        readinessProbe: {httpGet: {port: http}, periodSeconds: 1}
---
apiVersion: v1
kind: Service
metadata: {name: controller}
spec: {selector: {app: controller}, ports: [{port: 80, targetPort: http}]}
`)},
}

const extensionManifest = `apiVersion: core.gardener.cloud/v1beta1
kind: ControllerDeployment
metadata: {name: sandboxed}
type: helm
providerConfig: {chart: %s, values: {image: %q}}
---
apiVersion: core.gardener.cloud/v1beta1
kind: ControllerRegistration
metadata: {name: sandboxed}
spec:
  resources: [{kind: Extension, type: sandboxed}]
  deployment: {policy: Always, deploymentRefs: [{name: sandboxed}]}
`

func extension(t *testing.T, f *fixture) {
	archive := base64.StdEncoding.EncodeToString(charttest.Pack(t, extensionChart))
	f.Kubectl(f.Garden(), "apply", "-f", f.File("extension.yaml", fmt.Sprintf(extensionManifest, archive, reference)))
	const one = `{range .items[?(@.spec.registrationRef.name=="sandboxed")]}{.metadata.name}{range .status.conditions[*]} {.type}={.status}{end}{end}`
	installation := ""
	f.Eventually(5*time.Minute, "the extension is installed and healthy", func() (bool, string) {
		said := f.TryKubectl(f.Garden(), "get", "controllerinstallations", "-o", "jsonpath="+one)
		installation, _, _ = strings.Cut(said.Stdout, " ")
		return strings.Contains(said.Stdout, "Installed=True") && strings.Contains(said.Stdout, "Healthy=True"), said.Stdout + said.Stderr
	})
	namespace := "extension-" + installation
	if got, want := f.Kubectl(f.Seed(), "-n", namespace, "logs", "deployment/controller"), "the garden knows system:serviceaccount:seed-local:"+namespace+"\n"; got != want {
		t.Errorf("the controller says %q, want %q", got, want)
	}
	inside := func(args ...string) string {
		return f.Kubectl(f.Seed(), append([]string{"-n", namespace, "exec", "deployment/controller", "--", program}, args...)...)
	}
	t.Run("APP-13 APP-15 it reaches the API server of the seed and Services that policies allow by name", func(t *testing.T) {
		if said := inside("api", "https://kubernetes.default/version"); !strings.Contains(said, "gitVersion") {
			t.Errorf("the API server says %q", said)
		}
		if said := inside("get", "http://controller."+namespace+".svc:80/"); said != "ready" {
			t.Errorf("the Service says %q", said)
		}
		address := f.Kubectl(f.Seed(), "-n", "shoot--local--local", "get", "service", "kube-apiserver", "-o", "jsonpath={.spec.clusterIP}")
		if reached := inside("connect", "tcp:"+address+":443"); reached != "" {
			t.Error("it reaches the API server of a shoot, which no policy allows")
		}
	})
	t.Run("APP-14 it reaches pods and Services of the seed, and no other listener of the machine", func(t *testing.T) {
		own := map[string]bool{"127.0.0.1": true} // which is the pod's own there
		for _, kind := range []string{"pods={.items[*].status.podIP}", "services={.items[*].spec.clusterIP}"} {
			kind, path, _ := strings.Cut(kind, "=")
			for _, address := range strings.Fields(f.Kubectl(f.Seed(), "get", kind, "-A", "-o", "jsonpath="+path)) {
				own[address] = true
			}
		}
		delete(own, f.Kubectl(f.Seed(), "get", "nodes", "-o", `jsonpath={.items[0].status.addresses[?(@.type=="InternalIP")].address}`))
		others := slices.DeleteFunc(listeners(t), func(destination string) bool {
			_, text, _ := strings.Cut(destination, ":")
			address, err := netip.ParseAddrPort(text)
			return err == nil && own[address.Addr().String()]
		})
		if reached := inside(append([]string{"connect"}, others...)...); reached != "" {
			t.Errorf("of %d listeners it reaches\n%s", len(others), reached)
		}
	})
	f.Kubectl(f.Garden(), "delete", "controllerregistration", "sandboxed", "--timeout=10m")
	f.Kubectl(f.Garden(), "delete", "controllerdeployment", "sandboxed")
	if left := f.Kubectl(f.Seed(), "get", "namespace", namespace, "--ignore-not-found"); left != "" {
		t.Errorf("left in the seed: %s", left)
	}
	f.Eventually(time.Minute, "its account in the garden is gone", func() (bool, string) {
		left := f.Kubectl(f.Garden(), "-n", "seed-local", "get", "serviceaccounts", "-o", "name")
		return !strings.Contains(left, namespace), left
	})
}

// controlGarden asks the garden who it is, with the kubeconfig that it was given, and then answers at the port.
func controlGarden(port string) int {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("GARDEN_KUBECONFIG"))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	user, err := whoAmI(config)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("the garden knows", user)
	_ = http.ListenAndServe(":"+port, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ready") }))
	return 1
}

func whoAmI(config *rest.Config) (string, error) {
	config.Timeout = 10 * time.Second
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return "", err
	}
	const review = `{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}`
	response, err := client.Post(config.Host+"/apis/authentication.k8s.io/v1/selfsubjectreviews", "application/json", bytes.NewBufferString(review))
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	var answer struct {
		Status struct {
			UserInfo struct {
				Username string `json:"username"`
			} `json:"userInfo"`
		} `json:"status"`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return "", err
	}
	return answer.Status.UserInfo.Username, nil
}
