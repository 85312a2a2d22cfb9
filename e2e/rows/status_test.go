package rows

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func seedStatus(t *testing.T, f *fixture) {
	f.Eventually(2*time.Minute, "the status of the seed is complete", func() (bool, string) {
		missing := seedStatusLacks(t, f)
		return len(missing) == 0, strings.Join(missing, "\n")
	})
}

// seedStatusLacks says what is wrong; conditions of the rows before may still change.
func seedStatusLacks(t *testing.T, f *fixture) (missing []string) {
	lacks := func(format string, values ...any) { missing = append(missing, fmt.Sprintf(format, values...)) }
	var seed struct {
		Metadata struct{ Generation int64 }
		Status   struct {
			ObservedGeneration                 int64
			ClusterIdentity, KubernetesVersion string
			Gardener                           struct{ ID, Name, Version string }
			Capacity, Allocatable              map[string]string
			Conditions                         []struct{ Type, Status string }

			ClientCertificateExpirationTimestamp time.Time
		}
	}
	if err := json.Unmarshal([]byte(f.Kubectl(f.Garden(), "get", "seed", "local", "-o", "json")), &seed); err != nil {
		t.Fatal(err)
	}
	s := seed.Status
	if s.ObservedGeneration != seed.Metadata.Generation || s.ClusterIdentity == "" || s.KubernetesVersion == "" || s.Gardener.Name == "" || s.Gardener.Version == "" {
		lacks("status %+v", s)
	}
	if end := s.ClientCertificateExpirationTimestamp; time.Until(end) < 24*time.Hour {
		lacks("the client certificate of the gardenlet ends at %s", end)
	}
	if s.Capacity["shoots"] == "" || s.Allocatable["shoots"] == "" {
		lacks("capacity %v, allocatable %v", s.Capacity, s.Allocatable)
	}
	for _, c := range s.Conditions {
		if c.Status != "True" {
			lacks("%s is %s", c.Type, c.Status)
		}
	}
	if len(s.Conditions) < 4 {
		lacks("conditions %v", s.Conditions)
	}
	return missing
}

func shootStatus(t *testing.T, f *fixture) {
	f.Eventually(2*time.Minute, "the status of the shoot is complete", func() (bool, string) {
		missing := shootStatusLacks(t, f)
		return len(missing) == 0, strings.Join(missing, "\n")
	})
}

// shootStatusLacks says what is wrong; conditions of the rows before may still change.
func shootStatusLacks(t *testing.T, f *fixture) (missing []string) {
	lacks := func(format string, values ...any) { missing = append(missing, fmt.Sprintf(format, values...)) }
	var shoot struct {
		Metadata struct{ Generation int64 }
		Spec     struct{ SeedName string }
		Status   struct {
			ObservedGeneration                          int64
			SeedName, TechnicalID, UID, ClusterIdentity string
			Gardener                                    struct{ ID, Name, Version string }
			Hibernated                                  *bool
			LastOperation                               struct {
				Type, State, Description string
				Progress                 int
				LastUpdateTime           time.Time
			}
			LastErrors          []struct{ Description string }
			Conditions          []struct{ Type, Status string }
			Constraints         []struct{ Type, Status string }
			Credentials         struct{ EncryptionAtRest struct{ Resources []string } }
			AdvertisedAddresses []struct{ Name, URL string }
		}
	}
	if err := json.Unmarshal([]byte(f.Kubectl(f.Garden(), "-n", project, "get", "shoot", "rows", "-o", "json")), &shoot); err != nil {
		t.Fatal(err)
	}
	s := shoot.Status
	if s.ObservedGeneration != shoot.Metadata.Generation || s.SeedName != "local" || s.SeedName != shoot.Spec.SeedName || s.TechnicalID != technical || s.UID == "" || s.ClusterIdentity == "" || s.Hibernated == nil || *s.Hibernated {
		lacks("status %+v", s)
	}
	if s.Gardener.Name == "" || s.Gardener.ID == "" || s.Gardener.Version == "" {
		lacks("gardener %+v", s.Gardener)
	}
	if o := s.LastOperation; o.State != "Succeeded" || o.Progress != 100 || o.Type != "Create" && o.Type != "Reconcile" || o.Description == "" || time.Since(o.LastUpdateTime) > time.Hour {
		lacks("last operation %+v", o)
	}
	if len(s.LastErrors) != 0 || !slices.Contains(s.Credentials.EncryptionAtRest.Resources, "secrets") {
		lacks("last errors %+v, credentials %+v", s.LastErrors, s.Credentials)
	}
	if !slices.ContainsFunc(s.Constraints, func(c struct{ Type, Status string }) bool {
		return c.Type == "HibernationPossible" && c.Status == "True"
	}) {
		lacks("constraints %+v", s.Constraints)
	}
	types := map[string]string{}
	for _, c := range s.Conditions {
		types[c.Type] = c.Status
	}
	for _, want := range []string{"APIServerAvailable", "ControlPlaneHealthy", "EveryNodeReady", "SystemComponentsHealthy"} {
		if types[want] != "True" {
			lacks("%s is %q", want, types[want])
		}
	}
	if len(s.AdvertisedAddresses) < 3 || s.AdvertisedAddresses[0].Name != "external" || !strings.HasPrefix(s.AdvertisedAddresses[0].URL, "https://127.") ||
		!strings.HasPrefix(s.AdvertisedAddresses[1].URL, "https://api.rows.local.") {
		lacks("addresses %+v", s.AdvertisedAddresses)
	}
	return missing
}

func defaults(t *testing.T, f *fixture) {
	got := f.get(f.Garden(), []string{"-n", project, "get", "shoot", "rows"}, "{.spec.dns.domain} {.spec.networking.pods} {.spec.networking.services}")
	fields := strings.Fields(got)
	if len(fields) != 3 || !strings.HasPrefix(fields[0], "rows.local.") {
		t.Fatalf("domain, pods and services are %q", got)
	}
	seeds := f.get(f.Garden(), []string{"get", "seed", "local"}, "{.spec.networks.shootDefaults.pods} {.spec.networks.shootDefaults.services}")
	if wanted := strings.Fields(seeds); len(wanted) == 2 && strings.Join(fields[1:], " ") != strings.Join(wanted, " ") {
		t.Errorf("ranges are %v, the seed proposes %v", fields[1:], wanted)
	}
}

func autoscaler(t *testing.T, f *fixture) {
	got := f.get(f.Garden(), []string{"-n", project, "get", "shoot", "rows"}, "{.spec.kubernetes.clusterAutoscaler.scaleDownUtilizationThreshold} {.spec.kubernetes.clusterAutoscaler.scanInterval}")
	if got != "0.4 20s" {
		t.Errorf("settings are %q", got)
	}
}

func backupEntry(t *testing.T, f *fixture) {
	uid := f.get(f.Garden(), []string{"-n", project, "get", "shoot", "rows"}, "{.metadata.uid}")
	path := `{range .items[?(@.metadata.ownerReferences[0].name=="rows")]}{.metadata.name} {.spec.seedName} {.status.seedName} {.status.lastOperation.state} ` +
		`{.metadata.ownerReferences[0].controller} {.metadata.ownerReferences[0].blockOwnerDeletion}{"\n"}{end}`
	if got, want := f.garden("backupentries", path), technical+"--"+uid+" local local Succeeded true false\n"; got != want {
		t.Errorf("backup entries: %q, want %q", got, want)
	}
}

func exposureClass(t *testing.T, f *fixture) {
	got := f.get(f.Garden(), []string{"get", "exposureclass", "rows"}, `{.handler} {.scheduling.seedSelector.matchLabels.example\.org/network} {.scheduling.tolerations[0].key}`)
	if got != "rows internet example.org/internet" {
		t.Errorf("exposure class has %q", got)
	}
}

func heartbeat(t *testing.T, f *fixture) {
	lease := []string{"-n", "gardener-system-seed-lease", "get", "lease", "local"}
	before := f.get(f.Garden(), lease, "{.spec.renewTime}")
	f.Eventually(time.Minute, "the lease is renewed", func() (bool, string) {
		now := f.get(f.Garden(), lease, "{.spec.renewTime}")
		return now != before, now
	})
}

func privileged(t *testing.T, f *fixture) {
	got := f.Kubectl(f.Garden(), "-n", project, "patch", "shoot", "rows", "--dry-run=server", "--type=merge",
		"-p", `{"spec":{"kubernetes":{"allowPrivilegedContainers":true}}}`, "-o", "jsonpath={.spec.kubernetes.allowPrivilegedContainers}")
	if got != "true" {
		t.Errorf("the switch is %q", got)
	}
}
