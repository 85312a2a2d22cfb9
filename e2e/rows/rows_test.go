// Package rows tests the promises of the feature matrix, row by row, on a landscape with one cluster. All tests share
// the landscape. Package tour tests the steps of a user.
package rows

import (
	"path/filepath"
	"testing"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

// The cluster of the tests in the garden, and its control plane in the seed.
const (
	project   = "garden-local"
	technical = "shoot--local--rows"
)

// fixture is the state that the tests share.
type fixture struct {
	*framework.Landscape
	// shoot is a kubeconfig of the cluster.
	shoot string
	// progress contains the reports during the creation of the cluster.
	progress string
	// bundle contains the certificates of the CloudProfile.
	bundle string
}

func TestRows(t *testing.T) {
	l := framework.New(t)
	addHandler(t, l)
	l.Gardener("up")
	f := &fixture{Landscape: l}
	f.bundle = createProfile(t, l)
	l.Kubectl(l.Garden(), "apply", "-f", testdata(t, "credentials.yaml"))
	l.Kubectl(l.Garden(), "create", "-f", testdata(t, "broken.yaml"), "-f", testdata(t, "shoot.yaml")) // apply would drop nulls
	wait := l.Run("shoot", "wait", "rows", "-n", project, "--timeout=10m")
	if err := wait.Check("gardener shoot wait"); err != nil {
		t.Fatal(err)
	}
	f.progress = wait.Stderr
	f.shoot = l.Shoot(project, "rows")

	for _, row := range []struct {
		name string
		test func(*testing.T, *fixture)
	}{
		{"ARC-3 GLT-32 creation tells its stages in their order", stages},
		{"GLT-31 the API server reaches the nodes of a shoot that is ready", tunnel},
		{"a command runs in a container of the appliance image", execution},
		{"no file is copied to or from a container of the appliance image, which has no tar", copying},
		{"a port of a pod is forwarded", forwarding},
		{"a log is followed until its container ends", following},
		{"APP-17 GLT-31 pods of the shoot tell that they are simulated and what to do", simulated},
		{"API-7 configuration for extensions reaches them unread", opaqueConfig},
		{"API-7 GLT-36 GLT-37 what only the provider knows to be wrong surfaces in the status", brokenConfig},
		{"GLT-36 a failed shoot is retried on request", retried},
		{"API-9 GLT-3 GLT-16 the seed tells what it is", seedStatus},
		{"GLT-1 GLT-3 the gardenlet got its certificate by a bootstrap token", gardenletAccess},
		{"GLT-5 GLT-7 the gardenlet renews its certificate on demand", gardenletRenewals},
		{"GLT-8 extensions get tokens of the garden, which the seed renews on demand", extensionTokens},
		{"GLT-12 GCM-1 the health of the gardenlet and of the controller manager is served over TLS", gardenletHealth},
		{"APP-9 ARC-1 components serve their health and stop one by one", components},
		{"API-16 nodes look as their pools say", pools},
		{"API-17 API-21 kubelet settings of a pool replace those of the cluster", kubelets},
		{"API-5 API-4 new machines trust the bundle of a CloudProfile without seed selector", trust},
		{"API-19 the switch for privileged containers is kept", privileged},
		{"API-22 settings of the cluster autoscaler are kept", autoscaler},
		{"a project's own profile offers more than its parent", ownProfile},
		{"ADM-11 API-42 a project gets no more objects than its quota allows", objectQuota},
		{"API-23 API-24 domain and ranges are filled in", defaults},
		{"API-28 API-29 GLT-43 the status of the shoot is complete", shootStatus},
		{"API-32 GLT-18 the shoot has one backup entry", backupEntry},
		{"API-35 an exposure class keeps what it says", exposureClass},
		{"GLT-27 the worker knows the infrastructure", infrastructureStatus},
		{"GLT-28 ETC-1 both etcds are ready before the API server starts", etcds},
		{"GLT-32 EXT-9 EXT-11 machines and their content are made of extension objects", extensions},
		{"GLT-30 EXT-13 the cloud controller comes by the ControlPlane, and does what a cloud does", cloudController},
		{"GLT-26 EXT-8 names of the API server resolve", names},
		{"SNI-6 PRT-3 APP-36 names of the API server resolve to the front door", resolved},
		{"PRT-4 PRT-3 a shoot with an exposure class has the front door of its handler", exposed},
		{"EXT-15 the seed has a copy of what the shoot is made of", cluster},
		{"EXT-21 the provider is installed", installation},
		{"EXT-12 changed credentials reach the machine classes at once", changedCredentials},
		{"EXT-17 EXT-10 GLT-29 the provider's webhook adds to control planes and machines, and nothing is written without it", providerWebhook},
		{"EXT-24 GLT-29 the provider's webhook adds to system components of the shoot, and is not missed while it is down", shootWebhook},
		{"GLT-22 EXT-22 EXT-23 a chart is installed with its values, and stays as long as it is needed", charts},
		{"EXT-26 BST-1 BST-4 BST-6 a bastion is answered with its address, kept alive and given back", bastion},
		{"GCM-31 BST-10 a bastion that nobody keeps alive vanishes in garden and seed", forgottenBastion},
		{"GLT-11 the heartbeat goes on", heartbeat},
		{"CTR-5 CTR-9 CTR-10 impossible container runtimes are refused", impossibleRuntimes},
		{"CTR-1 CTR-6 CTR-7 CTR-8 CTR-10 pools choose container runtimes, which are made, awaited and removed", runtimes},
		{"ADM-7 a seed has extensions of its own, which shoots cannot use", seedExtension},
		{"EXT-14 EXT-25 OSC-8 an extension is made, mistakes in its configuration are refused, and it goes", registryCache},
		{"SNI-8 the Service kubernetes leads to the address in the seed", published},
		{"SNI-2 gateway and route name the API server", routes},
		{"SNI-3 SNI-4 the front door knows names only", frontDoor},
		{"tokens of WorkloadIdentities can be verified by what their issuer's URL serves", workloadIdentity},
		{"AKC-1 AKC-2 AKC-3 AKC-5 a kubeconfig for an hour by a plain request", adminKubeconfig},
		{"APP-20 kubeconfigs of operators hold nothing, or hours", operatorKubeconfigs},
		{"AKC-9 GLT-25 a static token comes on request and goes again", staticToken},
		{"GLT-35 GLT-38 reconciliation refreshes the credentials", credentials},
		{"GRM-1 GRM-2 GRM-3 GRM-4 GRM-15 objects of ManagedResources appear in garden and seed, and go", managedResources},
		{"SAC-1 SAC-2 the seed refuses what nobody confirmed or what makes no sense", admission},
		{"SAC-1 SAC-2 the admission of the embedded seed is a Deployment that is called through its Service", admissionDeployment},
		{"SAC-1 SAC-2 the admission of the embedded seed comes back, and nothing protected goes meanwhile", admissionComesBack},
		{"GRM-37 GRM-38 webhooks care for the system components of a shoot", shootWebhooks},
		{"NOD-5 critical components are marked and tolerate the taint", criticalComponents},
		{"NOD-1 NOD-2 NOD-3 NOD-6 NOD-7 workload waits for the critical components of a new node", criticalNodes},
		{"GLT-26 GLT-34 a shoot whose domain nobody keeps fails, and can be deleted", homeless},
		{"API-23 EXT-8 the domain of a shoot is kept by the provider that it names, with the credentials it names", otherDNS},
		{"GCM-33 GLT-38 maintenance restarts what is marked, and system components on request", maintained},
		{"GLT-33 metrics of the landscape are read at one address", metrics},
		{"ARC-4 GLT-39 a part of the control plane that is deleted comes back", replaced},
	} {
		t.Run(row.name, func(t *testing.T) {
			own := *f
			own.Landscape = l.For(t)
			row.test(t, &own)
		})
	}
	t.Run("GLT-34 SAC-3 both shoots go, whether they were ready or not, since the gardenlet confirms its deletions", func(t *testing.T) {
		own := l.For(t)
		own.Kubectl(l.Garden(), "-n", project, "annotate", "shoots", "--all", "confirmation.gardener.cloud/deletion=true")
		own.Kubectl(l.Garden(), "-n", project, "delete", "shoots", "--all", "--timeout=10m")
	})
}

func testdata(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// garden and seed read fields of objects by a JSON path.

func (f *fixture) garden(object, path string) string {
	return f.get(f.Garden(), []string{"-n", project, "get", object}, path)
}

func (f *fixture) seed(object, path string, flags ...string) string {
	return f.get(f.Seed(), append([]string{"-n", technical, "get", object}, flags...), path)
}

func (f *fixture) get(kubeconfig string, args []string, path string) string {
	return f.Kubectl(kubeconfig, append(args, "-o", "jsonpath="+path)...)
}
