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

func installation(t *testing.T, f *fixture) {
	got := f.get(f.Garden(), []string{"get", "controllerinstallations"}, `{range .items[?(@.spec.registrationRef.name=="provider-local")].status.conditions[*]}{.type}={.status} {end}`)
	for _, want := range []string{"Valid=True", "Installed=True", "Healthy=True"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not among %s", want, got)
		}
	}
}
