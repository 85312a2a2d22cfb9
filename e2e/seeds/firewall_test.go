package seeds

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

const requestOfSeed = `apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: {name: seed-csr-behind}
spec:
  request: %s
  signerName: kubernetes.io/kube-apiserver-client
  usages: [client auth, digital signature, key encipherment]
`

// behindFirewall runs a seed and its gardenlet in processes of their own, in a network that no connection can enter. Their landscape
// has a garden, too, but the gardenlet uses the garden of l.
func behindFirewall(t *testing.T, l *framework.Landscape) {
	kubeconfig, server := accessOfSeed(t, l)
	network := newIsland(t, server)
	b := framework.New(t)
	outside := *b.Landscape
	network.settle(t, b)
	configureSeed(t, b, b.File("garden-of-others.yaml", kubeconfig))
	log := runLandscape(t, b)
	l.Eventually(2*time.Minute, "the seed behind the firewall is registered and reconciled", func() (bool, string) {
		r := l.TryKubectl(l.Garden(), "get", "seed", "behind", "-o", `jsonpath={.status.lastOperation.state} {.status.conditions[?(@.type=="GardenletReady")].status}`)
		said, _ := os.ReadFile(log)
		return r.Stdout == "Succeeded True", r.Stdout + r.Stderr + string(said)
	})
	if r := b.TryKubectl(b.Seed(), "get", "--raw", "/version"); r.Code != 0 {
		t.Fatalf("the seed does not answer behind the firewall: %s", r.Stderr)
	}
	if r, err := outside.ExecKubectl(t.Context(), b.Seed(), "get", "--raw", "/version"); err != nil || r.Code == 0 {
		t.Fatalf("the seed answers through the firewall: %s, %v", r.Stdout, err)
	}
	file, err := filepath.Abs(filepath.Join("testdata", "behind.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	l.Kubectl(l.Garden(), "create", "-f", file)
	const state = `{.status.seedName} {.status.lastOperation.state} {range .status.conditions[*]}{.type}={.status} {end}`
	const want = "behind Succeeded APIServerAvailable=True ControlPlaneHealthy=True EveryNodeReady=True SystemComponentsHealthy=True "
	l.Eventually(patience, "the garden is told that the shoot is ready", func() (bool, string) { // shoot wait would ask the API server of the shoot
		told := l.Kubectl(l.Garden(), "get", "shoot", "behind", "-n", "garden-local", "-o", "jsonpath="+state)
		return told == want, told
	})
	reconcile(l, "behind")
	notBackedUp(t, l, b)
	if network.count.Load() == 0 {
		t.Error("nothing went through the firewall: the gardenlet has another way to the garden")
	}
	l.Gardener("shoot", "delete", "behind", "-n", "garden-local", "--yes", "--timeout="+patience.String())
}

// notBackedUp checks that nothing is backed up of shoot behind, whose seed has no settings for that.
func notBackedUp(t *testing.T, l, b *framework.Landscape) {
	t.Helper()
	if bucket := l.Kubectl(l.Garden(), "get", "backupbuckets", "-o", `jsonpath={.items[?(@.spec.seedName=="behind")].metadata.name}`); bucket != "" {
		t.Errorf("BKP-1 the seed has the bucket %s", bucket)
	}
	if entries := l.Kubectl(l.Garden(), "get", "backupentries", "-A", "-o", "name"); strings.Contains(entries, "--behind--") {
		t.Errorf("BKP-1 the shoot has an entry, of %s", entries)
	}
	for _, kind := range []string{"backupbuckets.extensions.gardener.cloud", "backupentries.extensions.gardener.cloud"} {
		if found := b.Kubectl(b.Seed(), "get", kind, "-o", "name"); found != "" {
			t.Errorf("BKP-1 in the seed are %s", found)
		}
	}
	store := b.Kubectl(b.Seed(), "-n", "shoot--local--behind", "get", "etcd", "etcd-main", "-o", "jsonpath={.spec.backup.store}{.spec.backup.fullSnapshotSchedule}")
	args := b.Kubectl(b.Seed(), "-n", "shoot--local--behind", "get", "statefulset", "etcd-main", "-o", "jsonpath={.spec.template.spec.containers[0].args}")
	if store != "" || strings.Contains(args, "--store-") {
		t.Errorf("BKP-1 etcd main has the store %s and the arguments %s", store, args)
	}
	if kept, err := filepath.Glob(filepath.Join(b.StateDir, "backups", "*", "*", "*")); err != nil || len(kept) > 0 {
		t.Errorf("BKP-1 there are backups: %v, %v", kept, err)
	}
}

// accessOfSeed returns a kubeconfig with a certificate for the Seed behind, and host:port of the garden.
func accessOfSeed(t *testing.T, l *framework.Landscape) (text, address string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{
		Subject: pkix.Name{CommonName: "gardener.cloud:system:seed:behind", Organization: []string{"gardener.cloud:system:seeds"}},
	}, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	request := base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
	l.Kubectl(l.Garden(), "create", "-f", l.File("csr.yaml", fmt.Sprintf(requestOfSeed, request)))
	l.Kubectl(l.Garden(), "certificate", "approve", "seed-csr-behind")
	var encoded string
	l.Eventually(time.Minute, "the certificate is issued", func() (bool, string) {
		encoded = l.Kubectl(l.Garden(), "get", "csr", "seed-csr-behind", "-o", "jsonpath={.status.certificate}")
		return encoded != "", ""
	})
	cert, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.Load([]byte(l.Gardener("kubeconfig", "garden")))
	if err != nil {
		t.Fatal(err)
	}
	for _, user := range config.AuthInfos {
		user.ClientCertificateData, user.ClientKeyData = cert, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})
	}
	server, err := url.Parse(config.Clusters[config.Contexts[config.CurrentContext].Cluster].Server)
	if err != nil {
		t.Fatal(err)
	}
	written, err := clientcmd.Write(*config)
	if err != nil {
		t.Fatal(err)
	}
	return string(written), server.Host
}

// configureSeed names the seed of the landscape, and the garden of its gardenlet. The seed has no settings for backups.
func configureSeed(t *testing.T, b *framework.Landscape, garden string) {
	t.Helper()
	config, err := os.ReadFile(b.Config)
	if err != nil {
		t.Fatal(err)
	}
	named := strings.Replace(string(config), "seed: {", "seed: {name: behind, ", 1)
	if err := b.Write(b.Config, named+fmt.Sprintf("gardenlet: {gardenClientConnection: {kubeconfig: %s}, seedConfig: {spec: {backup: null}}}\n", garden)); err != nil {
		t.Fatal(err)
	}
}

// runLandscape runs a landscape until the test ends, and returns the file with its output. up would wait for the Seed in the
// garden of the landscape. So does run, for longer than the test takes.
func runLandscape(t *testing.T, b *framework.Landscape) (output string) {
	t.Helper()
	cmd := exec.Command(b.Binary, "run", "--timeout=1h")
	cmd.Dir, cmd.Env = b.Dir, append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + b.Dir, "GARDENER_CONFIG=" + b.Config}, b.Env...)
	log, err := os.Create(filepath.Join(b.Dir, "run.log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait() // the purge that follows reports what is left
		_ = log.Close()
	})
	return log.Name()
}
