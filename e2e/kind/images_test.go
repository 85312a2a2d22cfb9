package kind

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// images tests where nodes get images from, and container runtimes. They leave the shoot as it was, but on its usual tunnel.
var images = []step{
	{"OSC-6 images come from a mirror, and from the registry while the mirror is down", mirror, true},
	{"a registry, a cache and the usual tunnel are ordered at once", sources, true},
}

// change patches the Shoot, which is reconciled, and waits.
func (f *fixture) change(patchType, patch string) {
	f.Kubectl(f.Garden(), "-n", project, "patch", "shoot", shootName, "--type="+patchType, "-p", patch)
	f.ready()
}

// mirror puts a file on a node, as its owner may.
func mirror(t *testing.T, f *fixture) {
	upstream, mirror := newRegistry(t), newRegistry(t)
	first, second := newImage(t, "first"), newImage(t, "second")
	for _, r := range []*imageRegistry{upstream, mirror} {
		r.push(t, "e2e/mirrored:1", first)
		r.push(t, "e2e/mirrored:2", second)
	}
	node := f.nodeNames("")[0]
	dir := "/etc/containerd/certs.d/" + upstream.address
	hosts := fmt.Sprintf("server = %q\n\n[host.%q]\n  capabilities = [\"pull\", \"resolve\"]\n", upstream.url(), mirror.url())
	pid := f.containerdPID(t, node)
	f.onMachine(t, node, "sh", "-c", fmt.Sprintf("mkdir -p %s && printf '%%s' '%s' >%s/hosts.toml", dir, hosts, dir))
	defer f.onMachine(t, node, "rm", "-r", dir)

	f.pulled(t, "mirrored", node, upstream.address+"/e2e/mirrored:1")
	if mirror.blobs.Load() == 0 || upstream.blobs.Load()+upstream.manifests.Load() > 0 {
		t.Errorf("the mirror gave %d blobs, the registry %d blobs and %d manifests", mirror.blobs.Load(), upstream.blobs.Load(), upstream.manifests.Load())
	}
	mirror.stop()
	f.pulled(t, "unmirrored", node, upstream.address+"/e2e/mirrored:2")
	if upstream.blobs.Load() == 0 {
		t.Error("the image came from nowhere")
	}
	if now := f.containerdPID(t, node); now != pid {
		t.Errorf("containerd was restarted: %s, then %s", pid, now)
	}
}

// ownMirror is what a CloudProfile says about a registry that no name server knows.
const ownMirror = `{"spec":{"providerConfig":{"apiVersion":"local.provider.extensions.gardener.cloud/v1alpha1","kind":"CloudProfileConfig",
	"registryMirrors":[{"upstream":"own.example","server":%q,"hosts":[{"url":%q}]}]}}}`

// cacheExtension is the patch of a Shoot that orders a cache.
const cacheExtension = `{"spec":{"extensions":[{"type":"registry-cache","providerConfig":{
	"apiVersion":"registry.extensions.gardener.cloud/v1alpha3","kind":"RegistryConfig",
	"caches":[{"upstream":"cached.example","remoteURL":%q,"volume":{"size":"1Gi"}}]}}]}}`

// Files of nodes that lead to the two.
const (
	ownHosts   = "/etc/containerd/certs.d/own.example/hosts.toml"
	cacheHosts = "/etc/containerd/certs.d/cached.example/hosts.toml"
)

// sources changes all at once, since each reconciliation takes a minute: a registry of the CloudProfile, a cache, and the tunnel, on which
// an earlier step has turned its back. Afterwards the registry goes with the order of a container runtime, and the cache with its end.
func sources(t *testing.T, f *fixture) {
	own, cached := newRegistry(t), newRegistry(t)
	own.push(t, "e2e/own:1", newImage(t, "own"))
	cached.push(t, "e2e/cached:1", newImage(t, "cached"))
	nodes := f.nodeNames("")
	if len(nodes) < 2 {
		t.Fatalf("nodes are %v, two are needed", nodes)
	}
	pid := f.containerdPID(t, nodes[0])
	f.Kubectl(f.Garden(), "patch", "cloudprofile", "local", "--type=merge", "-p", fmt.Sprintf(ownMirror, own.url(), own.url()))
	f.Kubectl(f.Garden(), "-n", project, "annotate", "shoot", shootName, reversedVPN+"-")
	f.change("merge", fmt.Sprintf(cacheExtension, cached.url()))
	t.Run("VPN-8 the shoot is back on its tunnel", func(t *testing.T) { usual(t, f.within(t)) })
	t.Run("OSC-11 images come from a registry that the CloudProfile names", func(t *testing.T) { ownRegistry(t, f.within(t), own, nodes[0], pid) })
	t.Run("OSC-8 EXT-14 the second pull of an image is served by a cache in the shoot", func(t *testing.T) { registryCache(t, f.within(t), cached, nodes) })
	f.Kubectl(f.Garden(), "patch", "cloudprofile", "local", "--type=merge", "-p", `{"spec":{"providerConfig":null}}`)
	t.Run("CTR-1 CTR-6 CTR-7 CTR-8 pods run by a container runtime of their pool", func(t *testing.T) { containerRuntime(t, f.within(t)) })
	t.Run("OSC-8 OSC-11 a registry and a cache that are ordered no longer go", func(t *testing.T) { sourcesGo(t, f.within(t), nodes) })
}

func ownRegistry(t *testing.T, f *fixture, r *imageRegistry, node, pid string) {
	f.awaitOnMachine(t, node, r.url(), "cat", ownHosts)
	f.pulled(t, "own", node, "own.example/e2e/own:1")
	if r.blobs.Load() == 0 {
		t.Error("the image came from nowhere")
	}
	if now := f.containerdPID(t, node); now != pid {
		t.Errorf("containerd was restarted: %s, then %s", pid, now)
	}
}

// registryCache pulls on one node an image that another node has pulled.
func registryCache(t *testing.T, f *fixture, r *imageRegistry, nodes []string) {
	endpoint := f.Kubectl(f.Seed(), "-n", technical, "get", "extension", "registry-cache", "-o", "jsonpath={.status.providerStatus.caches[0].endpoint}")
	for _, node := range nodes {
		f.awaitOnMachine(t, node, endpoint, "cat", cacheHosts)
	}
	f.kube("-n", "kube-system", "rollout", "status", "statefulset/registry-cached-example", "--timeout=10m")

	f.pulled(t, "first-pull", nodes[0], "cached.example/e2e/cached:1")
	blobs, manifests := r.blobs.Load(), r.manifests.Load()
	if blobs == 0 {
		t.Error("the image came from nowhere")
	}
	f.pulled(t, "second-pull", nodes[1], "cached.example/e2e/cached:1")
	if now := r.blobs.Load(); now != blobs || r.manifests.Load() != manifests {
		t.Errorf("the registry gave %d blobs and %d manifests for the second pull", now-blobs, r.manifests.Load()-manifests)
	}
	if served := f.kube("-n", "kube-system", "logs", "registry-cached-example-0"); !strings.Contains(served, "Fetched blob") {
		t.Errorf("the cache fetched nothing: %s", served)
	}
}

func sourcesGo(t *testing.T, f *fixture, nodes []string) {
	for _, node := range nodes {
		f.awaitOnMachine(t, node, "", "cat", ownHosts)
		f.awaitOnMachine(t, node, "", "cat", cacheHosts)
	}
	f.await(2*time.Minute, "cache and volume go", func() (bool, string) {
		left := f.kube("-n", "kube-system", "get", "statefulset,service,persistentvolumeclaim", "-l", "app=registry-cached-example", "-o", "name")
		return left == "", left
	})
}

// containerRuntime adds a runtime to the pool and removes it, together with all extensions of the shoot.
func containerRuntime(t *testing.T, f *fixture) {
	const offered = "/spec/machineImages/0/versions/0/cri/0/containerRuntimes" // as in docs/kind.md
	const ordered = "/spec/provider/workers/0/cri/containerRuntimes"
	before := f.nodeNames("")
	steps := f.steps(t, registries)
	f.reader.Follow(t, "a container runtime is ordered", steps[:3])
	if got := f.Kubectl(f.Seed(), "-n", technical, "get", "containerruntime", "gvisor-pool", "-o", "jsonpath={.status.lastOperation.state}"); got != "Succeeded" {
		t.Errorf("the ContainerRuntime is %s", got)
	}
	labelled := func(n int) func() (bool, string) {
		return func() (bool, string) {
			got := f.kube("get", "nodes", "-l", "containerruntime.worker.gardener.cloud/gvisor=true", "-o", "name")
			return len(strings.Fields(got)) == n, got
		}
	}
	f.await(2*time.Minute, "the nodes are labelled", labelled(len(before)))
	f.await(time.Minute, "the installer is there", func() (bool, string) {
		r := f.TryKubectl(f.kubeconfig(), "-n", "kube-system", "get", "daemonset", "runtime-gvisor-pool")
		return r.Code == 0, r.Stderr
	})
	f.kube("-n", "kube-system", "rollout", "status", "daemonset/runtime-gvisor-pool", "--timeout=10m")
	reader := *f.reader
	reader.Env = append(slices.Clone(reader.Env), "KUBECONFIG="+f.kubeconfig())
	reader.Follow(t, "a pod with another container runtime", steps[3:])
	if got := f.ended(t, "sandboxed"); got != "by runsc\n" {
		t.Errorf("output %q", got)
	}
	for _, node := range before {
		if got := f.onMachine(t, node, "ls", "/var/bin/containerruntimes"); got != "runsc" {
			t.Errorf("programs of runtimes on %s: %q", node, got)
		}
	}
	if now := f.nodeNames(""); strings.Join(now, " ") != strings.Join(before, " ") {
		t.Errorf("nodes were replaced: %v, then %v", before, now)
	}

	f.change("json", fmt.Sprintf(`[{"op":"remove","path":%q},{"op":"remove","path":"/spec/extensions"}]`, ordered))
	f.await(2*time.Minute, "the runtime goes", func() (bool, string) {
		left := f.Kubectl(f.Seed(), "-n", technical, "get", "containerruntimes", "-o", "name") +
			f.kube("get", "runtimeclasses", "-o", "name") + f.kube("-n", "kube-system", "get", "daemonset", "-l", "app=runtime-gvisor-pool", "-o", "name")
		return left == "", left
	})
	f.await(2*time.Minute, "the label goes", labelled(0))
	f.Kubectl(f.Garden(), "patch", "cloudprofile", "local", "--type=json", "-p", fmt.Sprintf(`[{"op":"remove","path":%q}]`, offered))
}
