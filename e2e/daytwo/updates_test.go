package daytwo

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
	"github.com/gardener-up/gardener-up/e2e/framework/poller"
	"github.com/gardener-up/gardener-up/embedded/kubeversion"
)

// updatable has a pool for each way of updates.
const updatable = `---
apiVersion: core.gardener.cloud/v1beta1
kind: Shoot
metadata: {name: updates, namespace: garden-local}
spec:
  cloudProfileName: local
  secretBindingName: local
  region: local
  kubernetes: {version: %s}
  maintenance: {timeWindow: {begin: %s, end: %s}}
  networking: {type: calico, nodes: 10.10.0.0/16}
  provider:
    type: local
    workers:
    - {name: rolls, minimum: 1, maximum: 1, machine: {type: local, image: {name: local, version: 1.0.0}}}
    - {name: auto, minimum: 2, maximum: 2, maxSurge: 0, maxUnavailable: 1, updateStrategy: AutoInPlaceUpdate, machine: {type: local, image: {name: local, version: 1.0.0}}}
    - {name: manual, minimum: 1, maximum: 1, maxSurge: 0, maxUnavailable: 1, updateStrategy: ManualInPlaceUpdate, machine: {type: local, image: {name: local, version: 1.0.0}}}
`

// machine is what an update may change of a node, and what it may not.
type machine struct{ uid, version, pods string }

// updates is a shoot whose versions change.
type updates struct {
	*framework.Landscape
	t     *testing.T
	shoot string
}

func (u *updates) For(t *testing.T) *updates {
	return &updates{Landscape: u.Landscape.For(t), t: t, shoot: u.shoot}
}

// machines returns the nodes of a pool by name.
func (u *updates) machines(pool string) map[string]machine {
	u.t.Helper()
	var list struct {
		Items []struct {
			Metadata struct{ Name, UID string }
			Status   struct {
				Capacity map[string]string
				NodeInfo struct{ KubeletVersion string }
			}
		}
	}
	if err := json.Unmarshal([]byte(u.Kubectl(u.shoot, "get", "nodes", "-l", "worker.gardener.cloud/pool="+pool, "-o", "json")), &list); err != nil {
		u.t.Fatal(err)
	}
	out := map[string]machine{}
	for _, item := range list.Items {
		out[item.Metadata.Name] = machine{item.Metadata.UID, strings.TrimPrefix(item.Status.NodeInfo.KubeletVersion, "v"), item.Status.Capacity["pods"]}
	}
	return out
}

// with are the same machines with another version.
func with(machines map[string]machine, version string) map[string]machine {
	out := map[string]machine{}
	for name, m := range machines {
		m.version = version
		out[name] = m
	}
	return out
}

func (u *updates) get(path string) string {
	u.t.Helper()
	return strings.TrimSpace(u.Kubectl(u.Garden(), "-n", project, "get", "shoot", "updates", "-o", "jsonpath="+path))
}

// patch changes the shoot and waits until the change is in effect.
func (u *updates) patch(patch string) {
	u.t.Helper()
	u.Kubectl(u.Garden(), "-n", project, "patch", "shoot", "updates", "--type=merge", "-p", patch)
	u.Eventually(4*time.Minute, "the change is in effect", func() (bool, string) {
		got := u.get("{.status.lastOperation.state} {.status.observedGeneration}")
		return got == "Succeeded "+u.get("{.metadata.generation}"), got + ": " + u.get("{.status.lastOperation.description} {.status.lastErrors[*].description}")
	})
}

// await waits until the machines of a pool are these.
func (u *updates) await(pool string, want map[string]machine) {
	u.t.Helper()
	u.Eventually(2*time.Minute, "machines of pool "+pool, func() (bool, string) {
		got := u.machines(pool)
		return maps.Equal(got, want), fmt.Sprintf("they are %v, want %v", got, want)
	})
}

// older returns the newest supported version of the minor before the linked one.
func (u *updates) older() string {
	u.t.Helper()
	for _, version := range strings.Fields(u.Kubectl(u.Garden(), "get", "cloudprofile", "local", "-o", "jsonpath={.spec.kubernetes.versions[*].version}")) {
		if !strings.HasPrefix(version, kubeversion.Minor+".") {
			return version
		}
	}
	u.t.Fatal("the cloud profile has only one minor version")
	return ""
}

func TestUpdates(t *testing.T) {
	l := framework.New(t)
	scaleEtcds(t, l)
	l.Gardener("up")
	u := &updates{Landscape: l, t: t}
	older := u.older()
	opposite := time.Now().UTC().Add(12 * time.Hour) // no maintenance comes meanwhile
	l.Kubectl(l.Garden(), "create", "-f", l.File("updates.yaml", fmt.Sprintf(updatable, older, opposite.Format("150405+0000"), opposite.Add(time.Hour).Format("150405+0000"))))
	l.Gardener("shoot", "wait", "updates", "-n", project, "--timeout=10m")
	u.shoot = l.Shoot(project, "updates")
	l.Kubectl(u.shoot, "create", "secret", "generic", "secret-0", "-n", "default")
	rolls, auto, manual := u.machines("rolls"), u.machines("auto"), u.machines("manual")
	if len(rolls) != 1 || len(auto) != 2 || len(manual) != 1 {
		t.Fatalf("nodes are %v, %v and %v", rolls, auto, manual)
	}

	t.Run("API-16 the next minor version of Kubernetes", func(t *testing.T) {
		u := u.For(t)
		client := poller.Start(t, "a client during the update", u.shoot)
		u.patch(fmt.Sprintf(`{"spec":{"kubernetes":{"version":%q}}}`, kubeversion.Number))
		limit, _ := time.ParseDuration(outage)
		client.Stop(t, limit)
		t.Run("API-16 machines are updated where they are", func(t *testing.T) { u.For(t).await("auto", with(auto, kubeversion.Number)) })
		t.Run("API-16 machines of other pools are replaced", func(t *testing.T) {
			for name, m := range u.For(t).machines("rolls") {
				if _, old := rolls[name]; old || m.version != kubeversion.Number {
					t.Errorf("there is %s with version %s", name, m.version)
				}
			}
		})
	})

	u.recommend()
	t.Run("API-16 machines wait for a user, if their pool says so", func(t *testing.T) {
		u := u.For(t)
		u.Eventually(2*time.Minute, "the shoot names the pool", func() (bool, string) {
			got := u.get(`{.status.inPlaceUpdates.pendingWorkerUpdates} {.status.constraints[?(@.type=="ManualInPlaceWorkersUpdated")].status}`)
			return got == `{"manualInPlaceUpdate":["manual"]} False`, got
		})
		u.await("manual", manual)
		t.Run("BST-13 the SSH key of the nodes does not rotate meanwhile", func(t *testing.T) { u.For(t).deferKeys() })
		u.Kubectl(u.shoot, "label", "node", "-l", "worker.gardener.cloud/pool=manual", "node.machine.sapcloud.io/selected-for-update=true")
		u.await("manual", with(manual, kubeversion.Number))
		u.Eventually(2*time.Minute, "the shoot does not name the pool any more", func() (bool, string) {
			got := u.get(`{.status.inPlaceUpdates} {.status.constraints[*].type}`)
			return !strings.Contains(got, "anual"), got
		})
	})

	t.Run("API-16 a configuration of the kubelet that replaces no machine", func(t *testing.T) {
		u := u.For(t)
		before := u.machines("rolls")
		u.patch(`{"spec":{"kubernetes":{"kubelet":{"maxPods":57}}}}`)
		for name, m := range before {
			m.pods = "57"
			before[name] = m
		}
		u.await("rolls", before)
	})
	t.Run("GLT-41 the requests of etcds follow recommendations", func(t *testing.T) { u.For(t).scaled() })
}
