package seeds

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

const managedSeed = `apiVersion: seedmanagement.gardener.cloud/v1alpha1
kind: ManagedSeed
metadata: {name: managed, namespace: garden}
spec:
  shoot: {name: managed}
  gardenlet:
    config:
      apiVersion: gardenlet.config.gardener.cloud/v1alpha1
      kind: GardenletConfiguration
      seedConfig:
        spec:
          dns: {provider: {type: local, secretRef: {name: internal-domain, namespace: garden}}}
`

// gardenletOfSeed is the configuration of a gardenlet that an operator runs for the ManagedSeed.
const gardenletOfSeed = `apiVersion: gardenlet.config.gardener.cloud/v1alpha1
kind: GardenletConfiguration
gardenClientConnection:
  bootstrapKubeconfig: {namespace: garden, name: gardenlet-kubeconfig-bootstrap}
  kubeconfigSecret: {namespace: garden, name: gardenlet-kubeconfig}
seedClientConnection: {kubeconfig: %s}
server: {healthProbes: null, metrics: null}
seedConfig:
  metadata: {name: managed}
  spec:
    provider: {type: local, region: local}
    networks: {nodes: 10.10.0.0/16, pods: 100.96.0.0/11, services: 100.64.0.0/13}
    ingress: {domain: ingress.managed.example.org, controller: {kind: nginx}}
    dns: {provider: {type: local, secretRef: {name: internal-domain, namespace: garden}}}
`

// managedSeeds gives the gardenlet of a ManagedSeed access to the garden, and gives it access again when it has lost it.
func managedSeeds(t *testing.T, l *framework.Landscape) {
	file, err := filepath.Abs(filepath.Join("testdata", "managed.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	l.Eventually(time.Minute, "the shoot is accepted", func() (bool, string) { // its project is made first
		r := l.TryKubectl(l.Garden(), "apply", "-f", file)
		return r.Code == 0, r.Stderr
	})
	l.Gardener("shoot", "wait", "managed", "-n", "garden", "--timeout="+patience.String())
	shoot := l.Shoot("garden", "managed")
	l.Kubectl(l.Garden(), "create", "-f", l.File("managedseed.yaml", managedSeed))
	invited := func() {
		l.Eventually(2*time.Minute, "the gardenlet in the shoot is invited", func() (bool, string) {
			r := l.TryKubectl(shoot, "-n", "garden", "get", "secret", "gardenlet-kubeconfig-bootstrap", "-o", "name")
			return r.Code == 0, r.Stderr
		})
	}
	invited()
	t.Run("GCM-24 the gardenlet of a ManagedSeed gets its certificate", func(t *testing.T) { runGardenlet(t, l.For(t), shoot) })
	l.Eventually(time.Minute, "the Seed is told", func() (bool, string) {
		said := l.Kubectl(l.Garden(), "-n", "garden", "get", "managedseed", "managed", "-o", `jsonpath={range .status.conditions[*]}{.type}={.status} {end}`)
		return strings.Contains(said, "SeedRegistered=True"), said
	})
	t.Run("GCM-24 it gets another one when its certificate has expired", func(t *testing.T) {
		l := l.For(t)
		generation := func() int {
			text := l.Kubectl(l.Garden(), "-n", "garden", "get", "managedseed", "managed", "-o", "jsonpath={.metadata.generation}")
			number, err := strconv.Atoi(text)
			if err != nil {
				t.Fatal(err)
			}
			return number
		}
		before := generation()
		// A certificate lasts for ten minutes at least. So the test removes it, and sets the status of the Seed to an expired one.
		l.Kubectl(shoot, "-n", "garden", "delete", "secret", "gardenlet-kubeconfig")
		l.Kubectl(l.Garden(), "patch", "seed", "managed", "--subresource=status", "--type=merge", "-p", `{"status":{"clientCertificateExpirationTimestamp":"2020-01-01T00:00:00Z"}}`)
		l.Eventually(3*time.Minute, "the ManagedSeed is reconciled", func() (bool, string) {
			now := generation()
			return now > before, fmt.Sprintf("generation %d, was %d", now, before)
		})
		invited()
		runGardenlet(t, l, shoot)
	})
	t.Run("MSD-9 it gets another one on demand while it runs", func(t *testing.T) {
		l := l.For(t)
		defer startGardenlet(t, l, shoot)()
		kubeconfig := func() string {
			return l.TryKubectl(shoot, "-n", "garden", "get", "secret", "gardenlet-kubeconfig", "-o", "jsonpath={.data.kubeconfig}").Stdout
		}
		said := func() string {
			text, _ := os.ReadFile(filepath.Join(l.Dir, "gardenlet-managed.log"))
			return string(text)
		}
		heartbeat := func() string {
			return l.TryKubectl(l.Garden(), "-n", "gardener-system-seed-lease", "get", "lease", "managed", "-o", "jsonpath={.spec.renewTime}").Stdout // none at first
		}
		beats := func() {
			before := heartbeat()
			l.Eventually(time.Minute, "the gardenlet renews its lease", func() (bool, string) {
				now := heartbeat()
				return now != "" && now != before, said()
			})
		}
		beats()
		former, requested := kubeconfig(), bootstrapRequests(l)
		l.Kubectl(l.Garden(), "-n", "garden", "annotate", "managedseed", "managed", "gardener.cloud/operation=renew-kubeconfig")
		l.Eventually(time.Minute, "the operation is done", func() (bool, string) {
			left := l.Kubectl(l.Garden(), "-n", "garden", "get", "managedseed", "managed", "-o", `jsonpath={.metadata.annotations.gardener\.cloud/operation}`)
			return left == "", left
		})
		l.Eventually(time.Minute, "the gardenlet has another certificate, and its token is gone", func() (bool, string) {
			now := kubeconfig()
			token := l.TryKubectl(shoot, "-n", "garden", "get", "secret", "gardenlet-kubeconfig-bootstrap", "-o", "name")
			return now != "" && now != former && token.Code != 0, said()
		})
		if after := bootstrapRequests(l); after != requested+1 {
			t.Errorf("%d certificate requests with bootstrap tokens, were %d", after, requested)
		}
		beats()
	})
	t.Run("ARC-5 ARC-6 BKP-1 a seed behind a firewall that lets nothing in, without settings for backups, gets a shoot", func(t *testing.T) { behindFirewall(t, l.For(t)) })
}

// bootstrapRequests counts the certificate requests with bootstrap tokens.
func bootstrapRequests(l *framework.Landscape) int {
	return strings.Count(l.Kubectl(l.Garden(), "get", "csr", "-o", `jsonpath={range .items[*]}{.metadata.name} {.spec.username}{"\n"}{end}`), "system:bootstrap:")
}

// runGardenlet runs the gardenlet of the ManagedSeed until it has a certificate of the garden, for which it makes one request.
func runGardenlet(t *testing.T, l *framework.Landscape, shoot string) {
	t.Helper()
	before := bootstrapRequests(l)
	stop := startGardenlet(t, l, shoot)
	defer stop()
	if after := bootstrapRequests(l); after != before+1 {
		t.Errorf("%d certificate requests with bootstrap tokens, were %d", after, before)
	}
}

// startGardenlet starts the gardenlet of the ManagedSeed, and waits until it has a certificate of the garden.
func startGardenlet(t *testing.T, l *framework.Landscape, shoot string) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, l.Binary, "component", "gardenlet", "--config="+l.File("gardenlet-managed.yaml", fmt.Sprintf(gardenletOfSeed, shoot)))
	cmd.Dir, cmd.Env = l.Dir, append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + l.Dir}, l.Env...)
	log, err := os.Create(filepath.Join(l.Dir, "gardenlet-managed.log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop = sync.OnceFunc(func() {
		cancel()
		_ = cmd.Wait() // it was killed
		_ = log.Close()
	})
	t.Cleanup(stop)
	l.Eventually(2*time.Minute, "the gardenlet has a certificate, and the Seed is there", func() (bool, string) {
		said, _ := os.ReadFile(log.Name())
		secret := l.TryKubectl(shoot, "-n", "garden", "get", "secret", "gardenlet-kubeconfig", "-o", "name")
		seed := l.TryKubectl(l.Garden(), "get", "seed", "managed", "-o", "name")
		return secret.Code == 0 && seed.Code == 0, string(said)
	})
	return stop
}
