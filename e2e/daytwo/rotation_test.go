package daytwo

import (
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/e2e/framework/poller"
)

// state are the credentials of the shoot at one moment.
type state struct {
	authorities map[string]string // certificates in the seed, by name of the CA
	keys        map[string]string // names of Secrets with keys, by use
	nodes       []string
	etcds       []int  // generations of the StatefulSets
	token       string // of a service account of the shoot
	kubeconfig  string
	ssh         string
	sshPrivate  []byte
	// observability is a password.
	observability string
	kubelets      tls.Certificate // of the API server as a client of kubelets
}

var authorities = []string{"ca", "ca-client", "ca-etcd", "ca-etcd-peer", "ca-front-proxy", "ca-kubelet", "ca-metrics-server", "ca-vpn"}

func (f *fixture) state(generation string) state {
	f.t.Helper()
	var list struct {
		Items []struct {
			Metadata struct {
				Name   string
				Labels map[string]string
			}
			Data map[string][]byte
		}
	}
	if err := json.Unmarshal([]byte(f.Kubectl(f.Seed(), "-n", technical, "get", "secrets", "-l", "managed-by=secrets-manager", "-o", "json")), &list); err != nil {
		f.t.Fatal(err)
	}
	out := state{authorities: map[string]string{}, keys: map[string]string{}}
	for _, item := range list.Items {
		name := item.Metadata.Labels["name"]
		switch {
		case slices.Contains(authorities, name):
			out.authorities[name] += string(item.Data["ca.crt"])
		case name == "service-account-key", name == "kube-apiserver-etcd-encryption-key":
			out.keys[name] += " " + item.Metadata.Name
		case name == "kube-apiserver-kubelet":
			pair, err := tls.X509KeyPair(item.Data["tls.crt"], item.Data["tls.key"])
			if err != nil {
				f.t.Fatal(err)
			}
			out.kubelets = pair
		}
	}
	out.nodes = strings.Fields(f.get(f.shoot, []string{"nodes"}, "{.items[*].metadata.name}"))
	for _, generation := range strings.Fields(f.get(f.Seed(), []string{"-n", technical, "statefulsets", "etcd-main", "etcd-events"}, "{.items[*].metadata.generation}")) {
		n, err := strconv.Atoi(generation)
		if err != nil {
			f.t.Fatal(err)
		}
		out.etcds = append(out.etcds, n)
	}
	out.token = strings.TrimSpace(f.Kubectl(f.shoot, "create", "token", "default", "--duration=1h"))
	out.kubeconfig = f.File("shoot-"+generation+".yaml", f.Gardener("kubeconfig", "shoot", project+"/daytwo"))
	out.observability = f.get(f.Garden(), []string{"-n", project, "secret", "daytwo.monitoring"}, "{.data.password}")
	out.ssh = f.get(f.Garden(), []string{"-n", project, "secret", "daytwo.ssh-keypair"}, `{.data.id_rsa\.pub}`)
	out.sshPrivate = f.privateKey("daytwo.ssh-keypair")
	return out
}

// bundle is the CA that users verify the API server with.
func (f *fixture) bundle() string {
	f.t.Helper()
	return f.get(f.Garden(), []string{"-n", project, "configmap", "daytwo.ca-cluster"}, `{.data.ca\.crt}`)
}

// withBundle makes a client trust the present API server.
func (f *fixture) withBundle(config *rest.Config) *rest.Config {
	config.CAData = []byte(f.bundle())
	return config
}

// byToken is a client with a token only.
func (f *fixture) byToken(token string) *rest.Config {
	config := rest.AnonymousClientConfig(poller.Config(f.t, f.shoot))
	config.BearerToken = token
	return f.withBundle(config)
}

func rotate(t *testing.T, f *fixture) {
	f.legacyKubeconfig()
	first := f.state("first")
	firstPoller := poller.Start(t, "a client with the first credentials, until they are completed", first.kubeconfig)
	var prepared state
	if !t.Run("CAR-2 CAR-4 CAR-8 CAR-14 the rotation of all credentials is prepared", func(t *testing.T) {
		f := f.For(t)
		f.operate("rotate-credentials-start")
		f.awaitPhases("Prepared", 5*time.Minute)
		prepared = f.state("prepared")
		checkPrepared(f, first, prepared)
	}) {
		t.FailNow()
	}
	limit, _ := time.ParseDuration(outage)
	t.Run("CAR-7 the first credentials serve until the rotation is completed", func(t *testing.T) { firstPoller.Stop(t, limit) })
	second := poller.Start(t, "a client with the credentials of the first phase", prepared.kubeconfig)
	var completed state
	if !t.Run("CAR-2 CAR-4 CAR-10 CAR-14 it is completed", func(t *testing.T) {
		f := f.For(t)
		f.operate("rotate-credentials-complete")
		f.awaitPhases("Completed", 4*time.Minute)
		f.shoot = prepared.kubeconfig
		completed = f.state("completed")
		checkCompleted(f, first, prepared, completed)
	}) {
		t.FailNow()
	}
	t.Run("CAR-8 the credentials of the first phase serve on", func(t *testing.T) { second.Stop(t, limit) })
	f.shoot = completed.kubeconfig
	t.Run("CAR-14 BST-11 BST-12 a single rotation, and a resource that is no longer encrypted", func(t *testing.T) { leave(f.For(t), first, completed) })
	t.Run("CAR-10 kubelets refuse the client certificate of the old authority", func(t *testing.T) {
		f := f.For(t)
		f.Eventually(3*time.Minute, "it is refused", func() (bool, string) { // a node updates the files of its pods within about a minute
			code := f.askKubelet(first.kubelets)
			return code == http.StatusUnauthorized, fmt.Sprint("the answer is ", code)
		})
		if code := f.askKubelet(completed.kubelets); code != http.StatusOK {
			t.Errorf("the new certificate is answered with %d", code)
		}
	})
}

// rotateByHand rotates the authorities alone, and has the user decide when nodes are replaced.
func rotateByHand(f *fixture) {
	const pending = "{.status.credentials.rotation.certificateAuthorities.pendingWorkersRollouts[*].name}"
	before := f.get(f.shoot, []string{"nodes"}, "{.items[*].metadata.name}")
	f.operate("rotate-ca-start-without-workers-rollout")
	f.awaitAuthorities("WaitingForWorkersRollout")
	if now, pools := f.get(f.shoot, []string{"nodes"}, "{.items[*].metadata.name}"), f.ofShoot(pending); now != before || pools != "local" {
		f.t.Errorf("nodes are %q, were %q, the rotation waits for %q", now, before, pools)
	}
	f.operate("rotate-rollout-workers=local")
	f.awaitAuthorities("Prepared")
	if now := f.get(f.shoot, []string{"nodes"}, "{.items[*].metadata.name}"); now == before {
		f.t.Errorf("nodes are still %q", now)
	}
	f.readable()
}

// awaitAuthorities waits until the rotation of the authorities is in a phase.
func (f *fixture) awaitAuthorities(want string) {
	f.t.Helper()
	f.Eventually(4*time.Minute, "the rotation is "+want, func() (bool, string) {
		got := f.ofShoot("{.status.credentials.rotation.certificateAuthorities.phase}")
		return got == want, got + ": " + f.ofShoot("{.status.lastOperation.description} {.status.lastErrors[*].description}")
	})
}

// rotateTolerant completes the rotation of rotateByHand and begins another one, while each etcd has several members. They are restarted
// one after the other, so that no request fails for long.
func rotateTolerant(f *fixture) {
	limit := 30 * time.Second
	client := poller.Start(f.t, "a client while the rotation of a tolerant shoot is completed", f.shoot)
	f.operate("rotate-ca-complete")
	f.awaitAuthorities("Completed")
	client.Stop(f.t, limit)
	f.shoot = f.Landscape.Shoot(project, "daytwo")
	client = poller.Start(f.t, "a client while another rotation is prepared", f.shoot)
	f.operate("rotate-ca-start-without-workers-rollout")
	f.awaitAuthorities("WaitingForWorkersRollout")
	client.Stop(f.t, limit)
	f.readable()
}

// legacyKubeconfig gives the shoot a kubeconfig of an older release, which contained a client certificate.
func (f *fixture) legacyKubeconfig() {
	f.t.Helper()
	f.Kubectl(f.Garden(), "-n", project, "patch", "secret", "daytwo.kubeconfig", "--type=merge", "-p",
		`{"stringData":{"kubeconfig":"users: [{name: daytwo, user: {client-certificate-data: b2xk, client-key-data: b2xk}}]","kubecfg.crt":"old","kubecfg.key":"old"}}`)
}

func checkPrepared(f *fixture, first, prepared state) {
	f.readable()
	f.t.Run("CAR-13 the kubeconfig contains a token in place of its client certificate", func(t *testing.T) {
		secret := f.get(f.Garden(), []string{"-n", project, "secret", "daytwo.kubeconfig"}, `{.data.kubeconfig} {.data.kubecfg\.crt}{.data.kubecfg\.key}`)
		kubeconfig, certificate, _ := strings.Cut(secret, " ")
		content, err := base64.StdEncoding.DecodeString(kubeconfig)
		if err != nil || certificate != "" || strings.Contains(string(content), "client-certificate") || !strings.Contains(string(content), `"token":`) {
			t.Errorf("certificate %q, kubeconfig %v:\n%s", certificate, err, content)
		}
	})
	f.t.Run("CAR-14 the password for observability is another one", func(t *testing.T) {
		if first.observability == "" || prepared.observability == "" || first.observability == prepared.observability {
			t.Errorf("it was %d bytes long and is the same: %t", len(first.observability), first.observability == prepared.observability)
		}
	})
	f.t.Run("CAR-6 CAR-8 every authority has a second one", func(t *testing.T) {
		for name, before := range first.authorities {
			if got := certificates(prepared.authorities[name]); got != 2*certificates(before) {
				t.Errorf("%s: %d authorities", name, got)
			}
		}
		if len(first.authorities) != len(authorities) {
			t.Errorf("authorities are %v", slices.Sorted(maps.Keys(first.authorities)))
		}
	})
	f.t.Run("CAR-7 CAR-14 old client certificates and tokens work", func(t *testing.T) {
		if code := poller.Answer(t, f.withBundle(poller.Config(t, first.kubeconfig))); code != http.StatusOK {
			t.Errorf("the first client certificate is answered with %d", code)
		}
		if code := poller.Answer(t, f.byToken(first.token)); code != http.StatusForbidden { // which says that it is known
			t.Errorf("the first token is answered with %d", code)
		}
	})
	f.t.Run("CAR-7 kubelets accept the client certificate of the old authority", func(t *testing.T) {
		if code := f.askKubelet(first.kubelets); code != http.StatusOK {
			t.Errorf("it is answered with %d", code)
		}
	})
	f.t.Run("CAR-8 users and pods get both authorities", func(t *testing.T) {
		if got := certificates(f.bundle()); got != 2 {
			t.Errorf("users get %d authorities", got)
		}
		if got := certificates(f.get(f.shoot, []string{"-n", "default", "configmap", "kube-root-ca.crt"}, `{.data.ca\.crt}`)); got != 2 {
			t.Errorf("pods get %d authorities", got)
		}
	})
	f.t.Run("CAR-9 all nodes are new", func(t *testing.T) {
		if slices.ContainsFunc(prepared.nodes, func(name string) bool { return slices.Contains(first.nodes, name) }) || len(prepared.nodes) != len(first.nodes) {
			t.Errorf("nodes are %v, were %v", prepared.nodes, first.nodes)
		}
	})
	f.t.Run("CAR-11 each etcd is restarted once", func(t *testing.T) { restartedOnce(t, first, prepared) })
	f.t.Run("CAR-12 extension API servers and the aggregator get both authorities", func(t *testing.T) {
		f.For(t).extensionServers(2)
	})
	f.t.Run("CAR-14 keys have a second one, and encrypted objects the label of the new one", func(t *testing.T) {
		for name, before := range first.keys {
			if len(strings.Fields(prepared.keys[name])) != 2 || !strings.Contains(prepared.keys[name], strings.TrimSpace(before)) {
				t.Errorf("keys are%s, were%s", prepared.keys[name], before)
			}
		}
		labelled := strings.Fields(f.Kubectl(f.shoot, "get", "secrets,configmaps", "-n", "default", "-l", "credentials.gardener.cloud/key-name", "-o", "name"))
		if len(labelled) < 2*objects {
			t.Errorf("%d objects have the label", len(labelled))
		}
	})
	f.t.Run("BST-12 BST-16 the old SSH key is kept beside the new one", func(t *testing.T) {
		if old := f.oldSSHKey(); old != first.ssh || prepared.ssh == first.ssh {
			t.Errorf("the old key is the first one: %t, the new key is: %t", old == first.ssh, prepared.ssh == first.ssh)
		}
	})
}

func checkCompleted(f *fixture, first, prepared, completed state) {
	f.readable()
	f.t.Run("CAR-6 CAR-10 every authority is another one", func(t *testing.T) {
		for name, before := range first.authorities {
			if after := completed.authorities[name]; certificates(after) != 1 || after == before {
				t.Errorf("%s: %d authorities, the first one: %t", name, certificates(after), strings.Contains(after, before))
			}
		}
		if got := certificates(f.bundle()); got != 1 {
			t.Errorf("users get %d authorities", got)
		}
	})
	f.t.Run("CAR-10 CAR-14 old client certificates and tokens are refused", func(t *testing.T) {
		if code := poller.Answer(t, f.withBundle(poller.Config(t, first.kubeconfig))); code != http.StatusUnauthorized {
			t.Errorf("the first client certificate is answered with %d", code)
		}
		if code := poller.Answer(t, f.byToken(first.token)); code != http.StatusUnauthorized {
			t.Errorf("the first token is answered with %d", code)
		}
		if code := poller.Answer(t, f.byToken(prepared.token)); code != http.StatusForbidden {
			t.Errorf("a token of the first phase is answered with %d", code)
		}
	})
	f.t.Run("CAR-10 all nodes stay", func(t *testing.T) {
		if !slices.Equal(completed.nodes, prepared.nodes) {
			t.Errorf("nodes are %v, were %v", completed.nodes, prepared.nodes)
		}
	})
	f.t.Run("CAR-11 each etcd is restarted once more", func(t *testing.T) { restartedOnce(t, prepared, completed) })
	f.t.Run("CAR-12 extension API servers and the aggregator get the new authority", func(t *testing.T) {
		f.For(t).extensionServers(1)
	})
	f.t.Run("CAR-14 keys are others, and no object has the label", func(t *testing.T) {
		for name, before := range first.keys {
			if after := completed.keys[name]; len(strings.Fields(after)) != 1 || after == before {
				t.Errorf("keys are%s, were%s", after, before)
			}
		}
		if labelled := f.Kubectl(f.shoot, "get", "secrets,configmaps", "-A", "-l", "credentials.gardener.cloud/key-name", "-o", "name"); labelled != "" {
			t.Errorf("objects still have the label:\n%s", labelled)
		}
	})
}

// extensionServers checks how many authorities extension API servers and the aggregator have of each other, and that they reach
// each other.
func (f *fixture) extensionServers(count int) {
	f.t.Helper()
	for _, key := range []string{"client-ca-file", "requestheader-client-ca-file"} {
		if got := certificates(f.get(f.shoot, []string{"-n", "kube-system", "configmap", "extension-apiserver-authentication"}, "{.data."+key+"}")); got != count {
			f.t.Errorf("extension API servers get %d authorities as %s", got, key)
		}
	}
	bundle, err := base64.StdEncoding.DecodeString(f.get(f.shoot, []string{"apiservice", "v1beta1.metrics.k8s.io"}, "{.spec.caBundle}"))
	if err != nil || certificates(string(bundle)) != count {
		f.t.Errorf("the aggregator gets %d authorities of the metrics server, %v", certificates(string(bundle)), err)
	}
	f.Eventually(time.Minute, "the metrics server answers", func() (bool, string) {
		r := f.TryKubectl(f.shoot, "get", "--raw", "/apis/metrics.k8s.io/v1beta1/nodes")
		return r.Code == 0, r.Stderr
	})
}

// askKubelet asks the kubelet of the node for its health, as the API server does, and returns the code of the answer.
func (f *fixture) askKubelet(certificate tls.Certificate) int {
	f.t.Helper()
	kubelet := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{
		Certificates: []tls.Certificate{certificate}, InsecureSkipVerify: true, // the test is about the client
	}}}
	code := 0
	f.Eventually(30*time.Second, "the kubelet of the newest node answers", func() (bool, string) { // a former node may still be there
		address := f.get(f.shoot, []string{"nodes", "--sort-by=.metadata.creationTimestamp"}, `{.items[-1:].status.addresses[?(@.type=="InternalIP")].address}`)
		response, err := kubelet.Get("https://" + address + ":10250/healthz")
		if err != nil {
			return false, err.Error()
		}
		_ = response.Body.Close()
		code = response.StatusCode
		return code < http.StatusInternalServerError, fmt.Sprint("the answer is ", code)
	})
	return code
}

func (f *fixture) oldSSHKey() string {
	f.t.Helper()
	return f.get(f.Garden(), []string{"-n", project, "secret", "daytwo.ssh-keypair.old"}, `{.data.id_rsa\.pub}`)
}

// restartedOnce checks that the template of each etcd's pods has changed once.
func restartedOnce(t *testing.T, before, after state) {
	t.Helper()
	if len(before.etcds) != 2 || len(after.etcds) != 2 {
		t.Fatalf("generations are %v, then %v", before.etcds, after.etcds)
	}
	for i := range before.etcds {
		if after.etcds[i] != before.etcds[i]+1 {
			t.Errorf("generations are %v, then %v", before.etcds, after.etcds)
		}
	}
}

// leave rotates the SSH keys alone, and takes a resource off the list of encrypted ones.
func leave(f *fixture, first, before state) {
	f.t.Run("BST-15 nodes announce what they have applied", func(t *testing.T) { f.For(t).announced() })
	f.t.Run("BST-13 the SSH key does not rotate while a node lags", func(t *testing.T) { f.For(t).deferKeys() })
	f.operate("rotate-ssh-keypair")
	f.Kubectl(f.Garden(), "-n", project, "patch", "shoot", "daytwo", "--type=merge", "-p", `{"spec":{"kubernetes":{"kubeAPIServer":{"encryptionConfig":{"resources":[]}}}}}`)
	f.Eventually(3*time.Minute, "the list is in effect", func() (bool, string) {
		got := f.ofShoot("{.status.credentials.encryptionAtRest.resources} {.status.lastOperation.state}")
		return got == `["secrets"] Succeeded`, got
	})
	f.readable()
	f.t.Run("CAR-5 runs in between make no further authority and no further key", func(t *testing.T) {
		now := f.state("later")
		if !maps.Equal(now.authorities, before.authorities) || !maps.Equal(now.keys, before.keys) {
			t.Errorf("authorities or keys have changed: %v, were %v", now.keys, before.keys)
		}
	})
	f.Eventually(time.Minute, "the keys are published", func() (bool, string) {
		current := f.get(f.Garden(), []string{"-n", project, "secret", "daytwo.ssh-keypair"}, `{.data.id_rsa\.pub}`)
		return f.oldSSHKey() == before.ssh && current != before.ssh, current
	})
	f.acceptedKeys()
	f.logIns(first, before)
}
