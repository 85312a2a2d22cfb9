package containers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// aggregated is an API server of the shoot in two pods, and the group that it serves.
const aggregated = `apiVersion: v1
kind: Secret
metadata: {name: greeter}
type: kubernetes.io/tls
data: {tls.crt: %[2]s, tls.key: %[3]s}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: greeter}
spec:
  replicas: 2
  selector: {matchLabels: {app: greeter}}
  template:
    metadata: {labels: {app: greeter}}
    spec:
      terminationGracePeriodSeconds: 1
      containers:
      - {name: c, image: %[1]s, args: [aggregate, "8443", /tls], ports: [{name: https, containerPort: 8443}], readinessProbe: {tcpSocket: {port: https}, periodSeconds: 1}, volumeMounts: [{name: tls, mountPath: /tls}]}
      volumes: [{name: tls, secret: {secretName: greeter}}]
---
apiVersion: v1
kind: Service
metadata: {name: greeter}
spec: {selector: {app: greeter}, ports: [{port: 443, targetPort: https}]}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.greetings.example.org}
spec: {group: greetings.example.org, version: v1, groupPriorityMinimum: 1000, versionPriority: 10, caBundle: %[2]s, service: {namespace: default, name: greeter}}
`

// groupVersion is what the pods serve.
const groupVersion = "greetings.example.org/v1"

func apiServices(t *testing.T, f *fixture) {
	cert, key := selfSigned(t, "greeter.default.svc")
	f.Kubectl(f.shoot, "apply", "-f", f.File("greeter.yaml", fmt.Sprintf(aggregated, reference, cert, key)))
	f.Kubectl(f.shoot, "rollout", "status", "deployment/greeter", "--timeout=5m")
	f.Kubectl(f.shoot, "wait", "--for=condition=Available", "apiservice/v1."+strings.TrimSuffix(groupVersion, "/v1"), "--timeout=2m")
	f.Eventually(time.Minute, "kubectl lists what the pods serve", func() (bool, string) { // it learns of the group some time later
		r := f.TryKubectl(f.shoot, "get", "greetings.greetings.example.org")
		return strings.Contains(r.Stdout, "hello-from-a-pod"), r.Stdout + r.Stderr
	})
	f.Kubectl(f.shoot, "delete", "apiservice/v1.greetings.example.org", "deployment/greeter", "service/greeter", "secret/greeter")
}

// endpointSlices compares the ready addresses in the EndpointSlices of Services with those of their pods.
func endpointSlices(t *testing.T, f *fixture) {
	f.Kubectl(f.shoot, "rollout", "status", "deployment/names", "--timeout=10m")
	const ready = `jsonpath={range .items[*].endpoints[?(@.conditions.ready==true)]}{.addresses[0]}{" "}{end}`
	of := func(args ...string) []string {
		found := strings.Fields(f.Kubectl(f.shoot, append([]string{"get"}, args...)...))
		slices.Sort(found)
		return found
	}
	pods := of("pods", "-l", "app=names", "-o", "jsonpath={.items[*].status.podIP}")
	for _, service := range []string{"names", "each"} {
		f.Eventually(time.Minute, "the EndpointSlices of "+service+" have the ready pods", func() (bool, string) {
			found := of("endpointslices", "-l", "kubernetes.io/service-name="+service, "-o", ready)
			return len(pods) == 3 && slices.Equal(found, pods), fmt.Sprint(found, pods)
		})
	}
	if r := f.TryKubectl(f.shoot, "create", "-f", f.File("forged.yaml", forged)); r.Code == 0 || !strings.Contains(r.Stderr, "loopback range") {
		t.Errorf("an EndpointSlice with an address of the machine: %s%s", r.Stdout, r.Stderr)
	}
}

// forged is an EndpointSlice that leads to a server of the machine.
const forged = `apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: forged, labels: {kubernetes.io/service-name: forged}}
addressType: IPv4
endpoints: [{addresses: [127.0.0.1]}]
ports: [{port: 22}]
`

// aggregate serves a group with one kind, and one object of it.
func aggregate(port, dir string) int {
	answer := func(object any) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(object)
		}
	}
	kind := func(name string) metav1.TypeMeta { return metav1.TypeMeta{APIVersion: groupVersion, Kind: name} }
	mux := http.NewServeMux()
	mux.HandleFunc("/apis/"+groupVersion, answer(metav1.APIResourceList{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "APIResourceList"}, GroupVersion: groupVersion,
		APIResources: []metav1.APIResource{{Name: "greetings", SingularName: "greeting", Kind: "Greeting", Namespaced: true, Verbs: metav1.Verbs{"get", "list"}}},
	}))
	mux.HandleFunc("/apis/"+groupVersion+"/namespaces/default/greetings", answer(metav1.PartialObjectMetadataList{
		TypeMeta: kind("GreetingList"),
		Items:    []metav1.PartialObjectMetadata{{TypeMeta: kind("Greeting"), ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "hello-from-a-pod"}}},
	}))
	fmt.Fprintln(os.Stderr, http.ListenAndServeTLS(":"+port, dir+"/tls.crt", dir+"/tls.key", mux))
	return 1
}
