package rows

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

func opaqueConfig(t *testing.T, f *fixture) {
	for object, want := range map[string]string{
		"infrastructure": `{"nothing":null,"unknown":"infrastructure"}`,
		"controlplane":   `{"unknown":1.5}`,
		"network":        `{"unknown":{"a":[true,null],"b":1}}`,
	} {
		if got := f.get(f.Seed(), []string{"-n", technical, "get", object, "rows"}, "{.spec.providerConfig}"); got != want {
			t.Errorf("%s has %s, want %s", object, got, want)
		}
	}
	got := f.get(f.Seed(), []string{"-n", technical, "get", "worker", "rows"}, `{.spec.pools[?(@.name=="one")].providerConfig}`)
	if got != `{"unknown":["worker"]}` {
		t.Errorf("worker pool has %s", got)
	}
}

func brokenConfig(t *testing.T, f *fixture) {
	var shoot struct {
		Status struct {
			LastOperation struct{ Type, State string }
			LastErrors    []struct {
				Description string
				Codes       []string
			}
		}
	}
	f.Eventually(time.Minute, "the shoot fails", func() (bool, string) {
		text := f.Kubectl(f.Garden(), "-n", project, "get", "shoot", "broken", "-o", "json")
		if err := json.Unmarshal([]byte(text), &shoot); err != nil {
			return false, err.Error()
		}
		return shoot.Status.LastOperation.State == "Failed", text
	})
	for _, e := range shoot.Status.LastErrors {
		if strings.Contains(e.Description, "no quota left") && reflect.DeepEqual(e.Codes, []string{"ERR_INFRA_QUOTA_EXCEEDED"}) {
			return
		}
	}
	t.Errorf("last errors: %+v", shoot.Status.LastErrors)
}

// retried asks for another attempt at the operation of the shoot that has failed.
func retried(t *testing.T, f *fixture) {
	const path = "{.status.retryCycleStartTime} {.status.lastOperation.state} {.metadata.annotations}"
	before, _, _ := strings.Cut(f.get(f.Garden(), []string{"-n", project, "get", "shoot", "broken"}, path), " ")
	r := f.Run("shoot", "retry", "broken", "-n", project, "--timeout=1m")
	if r.Code == 0 || !strings.Contains(r.Stderr, "no quota left") {
		t.Errorf("the second attempt ends with code %d: %s", r.Code, r.Stderr)
	}
	f.Eventually(time.Minute, "another cycle has begun and failed, and the request is gone", func() (bool, string) {
		got := f.get(f.Garden(), []string{"-n", project, "get", "shoot", "broken"}, path)
		fields := strings.Fields(got)
		return len(fields) > 1 && fields[0] != before && fields[1] == "Failed" && !strings.Contains(got, "gardener.cloud/operation"), got
	})
	if r := f.Run("shoot", "retry", "rows", "-n", project); r.Code != 1 || !strings.Contains(r.Stderr, "has not failed") {
		t.Errorf("a shoot that has not failed: code %d: %s", r.Code, r.Stderr)
	}
}

func infrastructureStatus(t *testing.T, f *fixture) {
	want := f.get(f.Seed(), []string{"-n", technical, "get", "infrastructure", "rows"}, "{.status.providerStatus}")
	got := f.get(f.Seed(), []string{"-n", technical, "get", "worker", "rows"}, "{.spec.infrastructureProviderStatus}")
	if !strings.Contains(want, "networkID") || got != want {
		t.Errorf("infrastructure has %s, worker %s", want, got)
	}
}

func extensions(t *testing.T, f *fixture) {
	const state = `{range .items[*]}{.status.lastOperation.state}{"\n"}{end}`
	for kind, count := range map[string]int{"workers.extensions.gardener.cloud": 1, "operatingsystemconfigs": 4, "infrastructures": 1, "controlplanes": 1, "networks": 1, "dnsrecords": 3} {
		states := strings.Fields(f.seed(kind, state))
		if len(states) != count || strings.Count(strings.Join(states, " "), "Succeeded") != count {
			t.Errorf("%s: %v, want %d times Succeeded", kind, states, count)
		}
	}
	secret := f.seed("operatingsystemconfigs", `{.items[?(@.spec.purpose=="provision")].status.cloudConfig.secretRef.name}`)
	for _, name := range strings.Fields(secret) {
		f.Kubectl(f.Seed(), "-n", technical, "get", "secret", name)
	}
	if len(strings.Fields(secret)) != 2 {
		t.Errorf("results of the two pools are in %q", secret)
	}
	if machines := strings.Fields(f.seed("machines", "{.items[*].status.currentStatus.phase}")); strings.Join(machines, " ") != "Running Running" {
		t.Errorf("machines are %v", machines)
	}
}

func cluster(t *testing.T, f *fixture) {
	got := f.get(f.Seed(), []string{"get", "cluster", technical}, "{.spec.cloudProfile.metadata.name} {.spec.seed.metadata.name} {.spec.shoot.metadata.name}")
	if got != "rows local rows" {
		t.Errorf("cluster has %q", got)
	}
}

func installation(_ *testing.T, f *fixture) {
	f.installed("provider-local", "Valid=True Installed=True Healthy=True")
}

// providerWebhook looks at what the provider adds, and makes its webhook unreachable for a while. The gardenlet
// tries its writes again for a minute before the shoot tells the error.
func providerWebhook(t *testing.T, f *fixture) {
	const label = "provider.extensions.gardener.cloud/mutated-by-controlplane-webhook=true"
	added := func() string {
		return f.seed("deployments", `{range .items[*]}{.metadata.name} {.metadata.annotations.local\.provider\.extensions\.gardener\.cloud/machines} {.metadata.generation}{"\n"}{end}`, "-l", label)
	}
	before := added()
	for _, name := range []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler"} {
		if !strings.Contains(before, name+" pod ") {
			t.Errorf("%s does not say what its machines are:\n%s", name, before)
		}
	}
	files := strings.Fields(f.seed("operatingsystemconfigs", `{.items[*].spec.files[?(@.path=="/etc/motd")].path}`, "-l", label))
	if len(files) != 4 {
		t.Errorf("%d of 4 contents of machines have the file of the provider", len(files))
	}

	registration := []string{"mutatingwebhookconfiguration", "gardener-extension-provider-local"}
	url := f.get(f.Seed(), append([]string{"get"}, registration...), "{.webhooks[0].clientConfig.url}")
	point := func(url string) {
		change := `[{"op":"replace","path":"/webhooks/0/clientConfig/url","value":"` + url + `"}]`
		f.Kubectl(f.Seed(), append(append([]string{"patch"}, registration...), "--type=json", "-p", change)...)
	}
	nobody := func() { point("https://127.0.0.1:1/nobody") } // again and again: the provider registers itself every five minutes
	f.Eventually(time.Minute, "a write is refused while nobody answers, and the error names the webhook", func() (bool, string) {
		nobody()
		r := f.TryKubectl(f.Seed(), "-n", technical, "annotate", "deployment", "kube-scheduler", "written=not", "--overwrite")
		return r.Code != 0 && strings.Contains(r.Stderr, `failed calling webhook "controlplane.local.extensions.gardener.cloud"`), r.Stderr
	})
	f.Kubectl(f.Garden(), "-n", project, "annotate", "shoot", "rows", "gardener.cloud/operation=reconcile")
	f.Eventually(time.Minute, "the gardenlet cannot go on", func() (bool, string) {
		nobody()
		got := f.garden("shoot/rows", "{.status.lastOperation.state} {.status.lastOperation.description}")
		return strings.HasPrefix(got, "Processing ") && strings.Contains(got, "Deploying Kubernetes API server"), got
	})
	point(url)
	f.Eventually(2*time.Minute, "it tries again and succeeds", func() (bool, string) {
		got := f.garden("shoot/rows", "{.status.lastOperation.state} {.status.lastErrors}")
		return strings.TrimSpace(got) == "Succeeded", got
	})
	if after := added(); after != before {
		t.Errorf("the reconciliation has changed\n%s to\n%s", before, after)
	}
}

// changedCredentials changes the copy of the credentials in the seed, as the gardenlet does.
func changedCredentials(_ *testing.T, f *fixture) {
	change := func(value, want string) {
		f.Eventually(time.Minute, "the classes of both pools follow", func() (bool, string) {
			// the gardenlet may write the copy, too, in the end of what tests before have begun
			f.Kubectl(f.Seed(), "-n", technical, "patch", "secret", "cloudprovider", "--type=merge", "-p", `{"data":{"changed":`+value+`}}`)
			got := f.seed("secrets", "{.items[*].data.changed}", "-l", "gardener.cloud/purpose=machineclass")
			return got == want, got
		})
	}
	change(`"eWVz"`, "eWVz eWVz")
	change("null", "")
}
