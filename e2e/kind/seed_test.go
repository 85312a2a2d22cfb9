package kind

import (
	"context"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/local/cluster"
	"github.com/gardener-up/gardener-up/local/containers"
)

var operated = []step{
	{"API-11 APP-8 EXT-17 a kind cluster of somebody else becomes a seed by its kubeconfig beside three others, and is left to him", theirCluster, true},
}

// theirTimeout is for making a cluster on a machine that does many other things.
const theirTimeout = 10 * time.Minute

// theirCluster is made without the landscape, and not removed by it.
func theirCluster(t *testing.T, f *fixture) {
	name, kubeconfig := f.name+"-theirs", filepath.Join(t.TempDir(), "kubeconfig")
	ctx, cancel := context.WithTimeout(t.Context(), theirTimeout)
	defer cancel()
	engine, err := containers.Detect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := cluster.New(engine, cluster.Config{
		Name: name, NodeImage: prepared.newImage, Kubeconfig: kubeconfig, APIServerPort: freePort(t), FrontDoorPort: freePort(t),
		PodCIDR: "10.3.0.0/16", ServiceCIDR: "10.4.0.0/16", Program: f.Binary,
	}, logr.Discard())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := cluster.Delete(engine, name, kubeconfig); err != nil {
			t.Error(err)
		}
	}()
	if _, err := theirs.Ensure(ctx, ""); err != nil {
		t.Fatal(err)
	}

	f.Kubectl(f.Garden(), "create", "secret", "generic", "kubeconfig-theirs", "-n", "garden", "--from-file=kubeconfig="+kubeconfig)
	f.Kubectl(f.Garden(), "create", "-f", testdata(t, "seed.yaml"))
	f.listed(5*time.Minute, map[string]bool{"theirs": true})
	f.Kubectl(kubeconfig, "-n", "istio-ingress", "rollout", "status", "daemonset/istio-ingressgateway", "--timeout=10m")

	f.theyCall(t, kubeconfig)
	f.failOneByOne(t, kubeconfig, cluster.NodeName(name))

	f.Kubectl(f.Garden(), "delete", "seed", "theirs", "--timeout=10m")
	f.await(3*time.Minute, "what Gardener ran there has gone", func() (bool, string) {
		namespace := f.TryKubectl(kubeconfig, "get", "namespace", "istio-ingress", "-o", "name")
		deployments := f.TryKubectl(kubeconfig, "get", "deployments.apps", "-n", "garden", "-o", "name")
		return strings.Contains(namespace.Stderr, "NotFound") && deployments.Code == 0 && deployments.Stdout == "", namespace.Stderr + deployments.Stdout + deployments.Stderr
	})
	f.await(time.Minute, "the image has gone from its node", func() (bool, string) {
		images := strings.Join(docker(t, "exec", cluster.NodeName(name), "ctr", "-n", "k8s.io", "images", "ls", "-q"), "\n")
		return !strings.Contains(images, "gardener.local/"), images
	})
	f.await(time.Minute, "nothing calls the landscape any more", func() (bool, string) {
		webhooks := f.TryKubectl(kubeconfig, "get", "mutatingwebhookconfigurations,validatingwebhookconfigurations", "-o", "name")
		secrets := f.TryKubectl(kubeconfig, "get", "secrets", "-A", "-o", "name")
		return webhooks.Code == 0 && secrets.Code == 0 && !strings.Contains(webhooks.Stdout, "gardener") && !strings.Contains(secrets.Stdout, "webhook-server"), webhooks.Stdout + secrets.Stdout
	})
	if err := theirs.Running(t.Context()); err != nil {
		t.Errorf("their cluster was stopped: %v", err)
	}
	f.Kubectl(f.Garden(), "delete", "secret", "kubeconfig-theirs", "-n", "garden")
}

// theyCall expects that the API server of the cluster calls the webhook of the provider, by way of a pod.
func (f *fixture) theyCall(t *testing.T, kubeconfig string) {
	f.Kubectl(kubeconfig, "-n", "garden", "rollout", "status", "deployment/landscape-callback", "--timeout=10m") // ready when the landscape has connected to it
	control := testdata(t, "controlplane.yaml")
	f.Kubectl(kubeconfig, "create", "namespace", "hooked")
	f.Kubectl(kubeconfig, "label", "namespace", "hooked", "shoot.gardener.cloud/provider=local")
	f.await(time.Minute, "EXT-17 the webhook adds to a control plane", func() (bool, string) {
		r := f.TryKubectl(kubeconfig, "apply", "--dry-run=server", "-f", control, "-o", `jsonpath={.metadata.annotations.local\.provider\.extensions\.gardener\.cloud/machines}`)
		return r.Stdout == "container", r.Stdout + r.Stderr
	})
	f.Kubectl(kubeconfig, "delete", "namespace", "hooked")
}

func freePort(t *testing.T) int32 {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return int32(l.Addr().(*net.TCPAddr).Port)
}
