package trust

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/client-go/tools/clientcmd"
)

// clusterAt is a Plant, and the Secret with the kubeconfig of its cluster.
const clusterAt = `apiVersion: v1
kind: Secret
metadata: {name: %[1]s, namespace: ` + project + `}
stringData:
  kubeconfig: |
    apiVersion: v1
    kind: Config
    clusters: [{name: c, cluster: {server: '%[2]s', insecure-skip-tls-verify: true}}]
    users: [{name: u, user: {token: t}}]
    contexts: [{name: c, context: {cluster: c, user: u}}]
    current-context: c
---
apiVersion: core.gardener.cloud/v1beta1
kind: Plant
metadata: {name: %[1]s, namespace: ` + project + `, labels: {trust: plants}}
spec: {secretRef: {name: %[1]s}}
---
`

// plantsInMachine names servers as the clusters of Plants, as a member of a project may: one of this machine in several ways, every
// listener of the landscape, and others that no user may reach. The landscape connects to the clusters of Plants by itself.
func plantsInMachine(f *fixture) {
	server := newListener(f.t)
	refusals := map[string]string{"http://169.254.169.254": refusal, "https://192.168.77.77:6443": privateRefusal}
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0", "127.0.0.2"} {
		refusals["https://"+host+":"+server.port] = refusal
	}
	refusals["http://127.0.0.1:"+server.port] = refusal
	var status struct{ FrontDoor string }
	f.Status(&status)
	shoot, err := clientcmd.BuildConfigFromFlags("", f.shoot)
	if err != nil {
		f.t.Fatal(err)
	}
	listeners := f.listeners()
	for _, door := range []string{status.FrontDoor, strings.TrimPrefix(shoot.Host, "https://")} { // which every user reaches
		if len(listeners) < 20 || listeners[door] == 0 {
			f.t.Fatalf("the door %s and 20 others are not among the listeners %v", door, listeners)
		}
		delete(listeners, door)
	}
	for address := range listeners {
		refusals["https://"+address] = refusal
	}
	var manifest strings.Builder
	plants := map[string]string{} // with the server of each
	for url := range refusals {
		name := fmt.Sprintf("plant-%d", len(plants))
		plants[name] = url
		fmt.Fprintf(&manifest, clusterAt, name, url)
	}
	f.Kubectl(f.Garden(), "create", "-f", f.File("plants.yaml", manifest.String()))
	f.t.Cleanup(func() {
		f.Kubectl(f.Garden(), "delete", "-f", f.File("plants.yaml", manifest.String()), "--timeout=10m")
	})
	const reported = `jsonpath={range .items[*]}{.metadata.name} {.status.conditions[?(@.type=="APIServerAvailable")].message}{"\n"}{end}`
	f.Eventually(2*time.Minute, "each server is refused", func() (bool, string) {
		seen := 0
		for line := range strings.Lines(f.Kubectl(f.Garden(), "-n", project, "get", "plants", "-l", "trust=plants", "-o", reported)) {
			name, message, _ := strings.Cut(line, " ")
			if url := plants[name]; !strings.Contains(message, refusals[url]) {
				return false, url + ": " + message
			}
			seen++
		}
		return seen == len(plants), fmt.Sprintf("%d of %d Plants are there", seen, len(plants))
	})
	if n := server.reached.Load(); n > 0 {
		f.t.Errorf("this machine was reached %d times", n)
	}
}

// plantOfShoot shows that clusters of Plants are reached at all: a shoot at its door, which is on this machine, too.
func plantOfShoot(f *fixture) {
	f.Kubectl(f.Garden(), "-n", project, "create", "secret", "generic", "own", "--from-file=kubeconfig="+f.shoot)
	f.Kubectl(f.Garden(), "create", "-f", f.File("own.yaml", "apiVersion: core.gardener.cloud/v1beta1\nkind: Plant\nmetadata: {name: own, namespace: "+project+"}\nspec: {secretRef: {name: own}}\n"))
	f.t.Cleanup(func() { f.Kubectl(f.Garden(), "-n", project, "delete", "plant/own", "secret/own", "--timeout=10m") })
	f.Kubectl(f.Garden(), "-n", project, "wait", "plant/own", "--for=condition=APIServerAvailable", "--timeout=10m")
}
