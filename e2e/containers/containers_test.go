package containers

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/documents/follow"
	"github.com/gardener-up/gardener-up/e2e/framework"
	"github.com/gardener-up/gardener-up/e2e/framework/cli"
)

// reference is the image of the tests. No registry has it.
const reference = "registry.invalid/test/program:1"

const manifest = `apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec:
  terminationGracePeriodSeconds: 10
  initContainers:
  - {name: init, image: %[1]s, args: [write, /data/index, "written by init"], securityContext: {runAsUser: 1000}, volumeMounts: [{name: data, mountPath: /data}]}
  containers:
  - name: web
    image: %[1]s
    args: [serve, "80", /data/index]
    readinessProbe: {httpGet: {port: 80}, periodSeconds: 1}
    volumeMounts: [{name: data, mountPath: /data}]
  volumes: [{name: data, emptyDir: {}}]
---
apiVersion: v1
kind: Pod
metadata: {name: host}
spec:
  containers:
  - {name: web, image: %[1]s, args: [serve, "8080", /nothing], readinessProbe: {tcpSocket: {port: 8080}, periodSeconds: 1}, volumeMounts: [{name: machine, mountPath: /machine}]}
  volumes: [{name: machine, hostPath: {path: /etc}}]
---
apiVersion: v1
kind: Pod
metadata: {name: asks, annotations: {simulation.gardener.local/simulate: "true"}}
spec:
  containers: [{name: any, image: registry.invalid/unknown:1}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: names}
spec:
  replicas: 3
  selector: {matchLabels: {app: names}}
  template:
    metadata: {labels: {app: names}}
    spec:
      topologySpreadConstraints: [{maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: names}}}]
      containers: [{name: c, image: %[1]s, args: [name, "8080"], ports: [{name: web, containerPort: 8080}], readinessProbe: {httpGet: {port: web}, periodSeconds: 1}}]
---
apiVersion: v1
kind: Service
metadata: {name: names}
spec: {selector: {app: names}, ports: [{port: 80, targetPort: web}]}
---
apiVersion: v1
kind: Service
metadata: {name: each}
spec: {clusterIP: None, selector: {app: names}, ports: [{port: 8080}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: failing}
spec:
  backoffLimit: 0
  template: {spec: {restartPolicy: Never, containers: [{name: c, image: %[1]s, args: [exit, "3"]}]}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: complete}
spec:
  template: {spec: {restartPolicy: Never, containers: [{name: c, image: %[1]s, args: [exit, "0"]}]}}
`

type fixture struct {
	*framework.Landscape
	t           *testing.T
	site        string         // the host of a registry
	privateSite string         // likewise, of one that asks for a user
	reader      *follow.Reader // of documents
	root        *testing.T     // of the whole landscape
	shoot       string         // kubeconfig
}

func TestContainers(t *testing.T) {
	l := framework.New(t)
	l.MoveState("zoë ü ö/it's $(HOME) in 日本 😀") // everything in sandboxes does there, too
	site := newSite(t)
	private := newPrivateSite(t)
	configure(l, t, fmt.Sprintf("tenants: {privateNetworks: [%s]}\nregistryMirrors: {registry.invalid: ['%s'], %s: ['%s']}\n", neighbours, site, privateMirror, private))
	key, bundle := filepath.Join(l.Dir, "bundle.key"), filepath.Join(l.Dir, "landscape.bundle")
	l.Gardener("bundle", "create", "--key", key, "--with", writeImage(t, reference), "--with", writeImage(t, mirrored), bundle)
	l.Gardener("up", "--bundle", bundle, "--bundle-key", key+".pub")
	t.Run("APP-12 APP-24 images of a bundle are there from the start", func(t *testing.T) {
		if said := l.For(t).Gardener("image", "list"); !strings.Contains(said, reference) {
			t.Errorf("images: %s", said)
		}
	})
	t.Run("APP-12 an image is loaded from a file and listed", func(t *testing.T) {
		const loaded = "registry.invalid/test/loaded:1"
		l.For(t).Gardener("image", "load", writeImage(t, loaded))
		if said := l.For(t).Gardener("image", "list"); !strings.Contains(said, loaded) {
			t.Errorf("images: %s", said)
		}
	})
	l.Kubectl(l.Garden(), "apply", "-f", l.File("shoot.yaml", twoNodes(t)))
	l.Gardener("shoot", "wait", "local", "-n", "garden-local", "--timeout=10m")
	f := &fixture{Landscape: l, t: t, site: site, privateSite: private, reader: follow.New(t, l), root: t, shoot: l.Shoot("garden-local", "local")}
	f.Eventually(time.Minute, "the service account of the namespace default exists", func() (bool, string) {
		r := f.TryKubectl(f.shoot, "get", "serviceaccount", "default")
		return r.Code == 0, r.Stderr
	})
	f.Kubectl(f.shoot, "apply", "-f", f.File("pods.yaml", fmt.Sprintf(manifest, reference)))
	f.Kubectl(f.shoot, "wait", "--for=condition=Ready", "pod/web", "pod/host", "pod/asks", "--timeout=10m")
	for _, part := range []struct {
		name string
		test func(*testing.T, *fixture)
	}{
		{"APP-12 an image of a private registry runs in the pod that has the pull secret, and in no other", pullSecrets},
		{"APP-11 a web server serves what its init container wrote as another user", web},
		{"APP-11 containers of users run in kube-system, too, and Gardener's own are simulated there", systemNamespace},
		{"APP-11 commands run in containers, and find programs of the image only", execute},
		{"APP-11 Jobs complete and fail by exit code", jobs},
		{"APP-13 the port of a pod can be forwarded and reached at the pod's address", reached},
		{"APP-13 pods of all nodes answer behind a Service, which is reached by its name", services},
		{"APP-13 a pod reaches the API server of its cluster", apiServer},
		{"APP-13 pods serve a webhook of their cluster", webhooks},
		{"APP-13 EndpointSlices have the addresses of the pods that are ready, and never those of the machine", endpointSlices},
		{"APP-13 pods serve an API of their cluster", apiServices},
		{"APP-13 pods are reached by the ports of nodes and load balancers", balancers},
		{"NWX-4 the status of the Network tells when a node is not reached", networkHealth},
		{"APP-15 policies close pods by label, port and direction", policies},
		{"APP-14 a pod reaches no listener of the machine", unreachable},
		{"APP-14 a pod reaches the outside where the landscape allows it", outside},
		{"APP-14 a directory of the machine is one of the node", hostPath},
		{"APP-14 links in a volume lead to nothing of the machine", links},
		{"APP-14 nothing reads a file of the machine for a pod", message},
		{"APP-11 APP-16 a StatefulSet has volumes and sub paths of them", stateful},
		{"APP-14 APP-19 a volume that a user writes removes nothing of the machine", foreign},
		{"APP-11 EXT-22 GLT-22 the controller of an extension runs in the seed, and reaches the garden", extension},
		{"APP-11 a pod that takes too much memory is OOMKilled, and no other", outOfMemory},
		{"APP-12 APP-24 APP-36 an image of a bundle comes from a mirror to which it was pushed", pushed},
		{"APP-17 a pod can ask to be simulated", simulated},
		{"APP-17 a container whose image cannot be had is simulated and says so", missingImages},
		{"APP-11 APP-36 the document's steps", document},
		{"APP-11 a container gets the grace period for its end", graceful},
		{"APP-12 the kubelets remove an image that no pod uses", collected},
		{"APP-3 pods are back after the daemon was killed", killed},
		{"APP-16 volumes keep data over the end of the daemon", kept},
		{"APP-14 the outside is closed by the setting", closed},
		{"APP-16 volumes keep data over hibernation", slept},
		{"APP-16 volumes and sandboxes are there on another seed", moved},
		{"APP-16 nothing is left of the volumes of a deleted shoot", removed},
	} {
		t.Run(part.name, func(t *testing.T) {
			part.test(t, &fixture{Landscape: f.For(t), t: t, site: f.site, privateSite: f.privateSite, reader: f.reader, root: f.root, shoot: f.shoot})
		})
	}
}

// configure leaves it to the landscape whether containers run in sandboxes, which is the default.
func configure(l *framework.Landscape, t *testing.T, settings string) {
	t.Helper()
	text, err := os.ReadFile(l.Config)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Write(l.Config, strings.Replace(string(text), cli.Simulate, "", 1)+settings); err != nil {
		t.Fatal(err)
	}
}

func web(t *testing.T, f *fixture) {
	if said := f.Kubectl(f.shoot, "logs", "web", "-c", "init"); said != "user 1000\n" {
		t.Errorf("the init container says %q", said)
	}
	if said := f.Kubectl(f.shoot, "exec", "web", "--", program, "get", "http://127.0.0.1:80"); said != "written by init" {
		t.Errorf("the server says %q", said)
	}
}

const inSystem = `apiVersion: v1
kind: Pod
metadata: {name: own, namespace: kube-system}
spec: {containers: [{name: c, image: %s, args: [name, "8080"], readinessProbe: {httpGet: {port: 8080}, periodSeconds: 1}}]}
`

func systemNamespace(t *testing.T, f *fixture) {
	f.Kubectl(f.shoot, "apply", "-f", f.File("own.yaml", fmt.Sprintf(inSystem, reference)))
	f.Kubectl(f.shoot, "-n", "kube-system", "wait", "--for=condition=Ready", "pod/own", "--timeout=10m")
	f.Kubectl(f.shoot, "-n", "kube-system", "exec", "own", "--", program, "exit", "0")
	f.Kubectl(f.shoot, "-n", "kube-system", "delete", "pod/own", "--now")
	if r := f.TryKubectl(f.shoot, "-n", "kube-system", "exec", "deployment/coredns", "--", "/coredns", "-version"); r.Code == 0 || !strings.Contains(r.Stderr, "simulated") {
		t.Errorf("a command in a pod of Gardener: %d %s%s", r.Code, r.Stdout, r.Stderr)
	}
}

func execute(t *testing.T, f *fixture) {
	r := f.TryKubectl(f.shoot, "exec", "web", "--", program, "exit", "5")
	if r.Code != 5 || !strings.Contains(r.Stdout, "ends with 5") {
		t.Errorf("exit 5: %d %s %s", r.Code, r.Stdout, r.Stderr)
	}
	if r := f.TryKubectl(f.shoot, "exec", "web", "--", "/bin/sh", "-c", "true"); r.Code == 0 {
		t.Error("a shell of the machine runs")
	}
}

func jobs(_ *testing.T, f *fixture) {
	f.Kubectl(f.shoot, "wait", "--for=condition=Failed", "job/failing", "--timeout=10m")
	f.Kubectl(f.shoot, "wait", "--for=condition=Complete", "job/complete", "--timeout=10m")
}

// address is the URL of the web server at the pod's address.
func (f *fixture) address() string {
	return "http://" + f.Kubectl(f.shoot, "get", "pod", "web", "-o", "jsonpath={.status.podIP}")
}

func fetch(url string) string {
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get(url)
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	content, _ := io.ReadAll(response.Body)
	return string(content)
}

func reached(t *testing.T, f *fixture) {
	f.answers(f.address(), "written by init")
	forward := f.StartKubectl(f.shoot, "", "port-forward", "pod/web", ":80")
	forward.Says(20*time.Second, "Forwarding from 127.0.0.1")
	_, rest, _ := strings.Cut(forward.Output(), "127.0.0.1:")
	port, _, _ := strings.Cut(rest, " ")
	f.answers("http://127.0.0.1:"+port, "written by init")
}

// answers waits until a server says this.
func (f *fixture) answers(url, want string) {
	f.Eventually(time.Minute, url+" answers", func() (bool, string) {
		said := fetch(url)
		return said == want, said
	})
}

// policies closes the pods behind the Service, opens them for one pod, and closes the way out of that pod.
func policies(t *testing.T, f *fixture) {
	reaches := func(want bool) {
		t.Helper()
		f.Eventually(time.Minute, fmt.Sprintf("the Service is reached: %t", want), func() (bool, string) {
			r := f.TryKubectl(f.shoot, "exec", "web", "--", program, "get", "http://names")
			return want == (r.Code == 0), r.Stdout
		})
	}
	policy := func(name, spec string) {
		t.Helper()
		f.Kubectl(f.shoot, "apply", "-f", f.File(name+".yaml", fmt.Sprintf(
			"apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: %s}\nspec: %s\n", name, spec)))
	}
	policy("deny-all", "{podSelector: {}, policyTypes: [Ingress]}")
	reaches(false)
	policy("from-web", "{podSelector: {matchLabels: {app: names}}, ingress: [{from: [{podSelector: {matchLabels: {app: web}}}], ports: [{port: web}]}]}")
	reaches(true)
	f.answers(f.address(), "written by init") // the machine is not closed out
	policy("no-way-out", "{podSelector: {matchLabels: {app: web}}, policyTypes: [Egress]}")
	reaches(false)
	f.Kubectl(f.shoot, "delete", "networkpolicy", "--all")
	reaches(true)
}

// collecting lets kubelets remove images soon after the last use.
const collecting = "\n    kubelet: {imageMinimumGCAge: 1s, imageMaximumGCAge: 10s}"

// twoNodes is the example of a shoot with a second node.
func twoNodes(t *testing.T) string {
	text, err := os.ReadFile(filepath.Join(framework.Examples(), "90-shoot.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, limit := range []string{"minimum: ", "maximum: "} {
		if !strings.Contains(string(text), limit+"1") {
			t.Fatal("the example has no pool of one node")
		}
	}
	const version = "\n    version: 1."
	if !strings.Contains(string(text), version) {
		t.Fatal("the example has no version")
	}
	return strings.NewReplacer("minimum: 1", "minimum: 2", "maximum: 1", "maximum: 2", version, collecting+version).Replace(string(text))
}

func services(t *testing.T, f *fixture) {
	f.Kubectl(f.shoot, "rollout", "status", "deployment/names", "--timeout=10m")
	nodes := strings.Fields(f.Kubectl(f.shoot, "get", "pods", "-l", "app=names", "-o", "jsonpath={.items[*].spec.nodeName}"))
	slices.Sort(nodes)
	if len(slices.Compact(nodes)) != 2 {
		t.Errorf("the pods are on nodes %s", nodes)
	}
	seen := map[string]bool{}
	f.Eventually(time.Minute, "all three pods answer", func() (bool, string) {
		r := f.TryKubectl(f.shoot, "exec", "web", "--", program, "get", "http://names")
		if r.Code == 0 {
			seen[r.Stdout] = true
		}
		return len(seen) == 3, fmt.Sprint(seen, r.Stdout)
	})
	for host, want := range map[string]string{"names.default.svc.cluster.local": "1\n", "each.default": "3\n"} {
		if said := f.Kubectl(f.shoot, "exec", "web", "--", program, "resolve", host); said != want {
			t.Errorf("%s has %s addresses", host, said)
		}
	}
	if r := f.TryKubectl(f.shoot, "exec", "web", "--", program, "resolve", "missing.default"); r.Code == 0 || !strings.Contains(r.Stdout, "no such host") {
		t.Errorf("a name that does not exist: %s", r.Stdout)
	}
}

func apiServer(t *testing.T, f *fixture) {
	for _, host := range []string{"kubernetes.default", "kubernetes.default.svc.cluster.local"} {
		if said := f.Kubectl(f.shoot, "exec", "web", "--", program, "api", "https://"+host+"/version"); !strings.Contains(said, "gitVersion") {
			t.Errorf("%s says %s", host, said)
		}
	}
}

func hostPath(t *testing.T, f *fixture) {
	if said := f.Kubectl(f.shoot, "exec", "host", "--", program, "list", "/machine"); said != "" {
		t.Errorf("the pod sees the machine: %s", said)
	}
}

// links makes links to the machine in a directory that two pods take for the machine's, by the first pod, and mounts them in others.
func links(t *testing.T, f *fixture) {
	machine := t.TempDir()
	if err := os.WriteFile(filepath.Join(machine, "secret"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	f.Kubectl(f.shoot, "exec", "host", "--", program, "link", machine, "/machine/out")
	f.Kubectl(f.shoot, "apply", "-f", f.File("led.yaml", fmt.Sprintf(led, reference, f.Kubectl(f.shoot, "get", "pod", "host", "-o", "jsonpath={.spec.nodeName}"))))
	for _, pod := range []string{"led", "led-to-new", "led-to-file", "led-below"} {
		f.Eventually(time.Minute, "an event tells why "+pod+" does not start", func() (bool, string) {
			said := f.Kubectl(f.shoot, "get", "events", "--field-selector", "involvedObject.name="+pod, "-o", "jsonpath={.items[*].message}")
			return strings.Contains(said, "escapes") || strings.Contains(said, "failed to prepare subPath"), said
		})
		if phase := f.Kubectl(f.shoot, "get", "pod", pod, "-o", "jsonpath={.status.phase}"); phase != "Pending" {
			t.Errorf("pod %s is %s", pod, phase)
		}
	}
	if left, err := os.ReadDir(machine); err != nil || len(left) != 1 {
		t.Errorf("on the machine are %v (%v)", left, err)
	}
	f.Kubectl(f.shoot, "delete", "pod", "led", "led-to-new", "led-to-file", "led-below", "--grace-period=0", "--wait=false")
}

// led are pods on the node of the first one.
const led = `apiVersion: v1
kind: Pod
metadata: {name: led}
spec:
  nodeName: %[2]s
  containers: [{name: c, image: %[1]s, args: [list, /machine], volumeMounts: [{name: machine, mountPath: /machine}]}]
  volumes: [{name: machine, hostPath: {path: /etc/out}}]
---
apiVersion: v1
kind: Pod
metadata: {name: led-to-new}
spec:
  nodeName: %[2]s
  containers: [{name: c, image: %[1]s, args: [list, /machine], volumeMounts: [{name: machine, mountPath: /machine}]}]
  volumes: [{name: machine, hostPath: {path: /etc/out/new, type: DirectoryOrCreate}}]
---
apiVersion: v1
kind: Pod
metadata: {name: led-to-file}
spec:
  nodeName: %[2]s
  containers: [{name: c, image: %[1]s, args: [list, /machine], volumeMounts: [{name: machine, mountPath: /machine}]}]
  volumes: [{name: machine, hostPath: {path: /etc/out/file, type: FileOrCreate}}]
---
apiVersion: v1
kind: Pod
metadata: {name: led-below}
spec:
  nodeName: %[2]s
  containers: [{name: c, image: %[1]s, args: [list, /machine], volumeMounts: [{name: machine, mountPath: /machine, subPath: out}]}]
  volumes: [{name: machine, hostPath: {path: /etc}}]
`

// message ends a container whose termination message became a link to the machine, and one with a message.
func message(t *testing.T, f *fixture) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("of the machine"), 0o644); err != nil {
		t.Fatal(err)
	}
	f.Kubectl(f.shoot, "apply", "-f", f.File("messages.yaml", fmt.Sprintf(messages, reference, secret)))
	f.Kubectl(f.shoot, "wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/link", "pod/message", "--timeout=1m")
	for pod, want := range map[string]string{"link": "", "message": "farewell"} {
		if said := f.Kubectl(f.shoot, "get", "pod", pod, "-o", "jsonpath={.status.containerStatuses[0].state.terminated.message}"); said != want {
			t.Errorf("pod %s says %q, want %q", pod, said, want)
		}
	}
	f.Kubectl(f.shoot, "delete", "pod/link", "pod/message")
}

const messages = `apiVersion: v1
kind: Pod
metadata: {name: link}
spec:
  restartPolicy: Never
  containers:
  - {name: c, image: %[1]s, args: [link, %[2]s, /node/message], terminationMessagePath: /message, volumeMounts: [{name: node, mountPath: /node}, {name: message, mountPath: /message}]}
  volumes: [{name: node, hostPath: {path: /}}, {name: message, hostPath: {path: /message, type: FileOrCreate}}]
---
apiVersion: v1
kind: Pod
metadata: {name: message}
spec:
  restartPolicy: Never
  containers: [{name: c, image: %[1]s, args: [write, /dev/termination-log, farewell]}]
`

func simulated(t *testing.T, f *fixture) {
	if said := f.Kubectl(f.shoot, "logs", "asks"); !strings.Contains(said, "simulated") {
		t.Errorf("log: %s", said)
	}
}

func graceful(t *testing.T, f *fixture) {
	begin := time.Now()
	f.Kubectl(f.shoot, "delete", "pod", "host", "--grace-period=2", "--wait=true")
	if r := f.TryKubectl(f.shoot, "get", "pod", "host"); r.Code == 0 {
		t.Errorf("the pod is there after %s", time.Since(begin))
	}
}

func killed(t *testing.T, f *fixture) {
	if err := syscall.Kill(f.Daemon(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	f.Eventually(30*time.Second, "all sandboxes end with the daemon", func() (bool, string) {
		daemons, programs := f.Processes(), sandboxes(f.StateDir)
		return len(daemons)+len(programs) == 0, fmt.Sprint(daemons, programs)
	})
	t.Run("APP-17 a landscape whose containers ran in sandboxes does not simulate them without a word", func(t *testing.T) { fallsBackLoudly(t, f.For(t)) })
	text, err := os.ReadFile(f.Config)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Write(f.Config, strings.Replace(string(text), "tenants: {", "tenants: {outside: false, ", 1)); err != nil {
		t.Fatal(err)
	}
	f.Gardener("up")
	f.Gardener("shoot", "wait", "local", "-n", "garden-local", "--timeout=10m")
	f.Eventually(2*time.Minute, "the web server serves again", func() (bool, string) {
		said := fetch(f.address())
		return said == "written by init", said
	})
	groupsEndWithPods(f)
}

// sandboxes are the command lines of processes that run gVisor's program from the state directory.
func sandboxes(stateDir string) []string {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	var found []string
	for _, file := range files {
		if line, err := os.ReadFile(file); err == nil && strings.Contains(string(line), filepath.Join(stateDir, "sandboxes")) {
			found = append(found, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return found
}
