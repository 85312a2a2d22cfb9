package rows

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// part is the status of a part in "gardener status".
type part struct{ Name, State, Health string }

func (f *fixture) parts(t *testing.T) map[string]part {
	t.Helper()
	var report struct{ Parts []part }
	f.Status(&report)
	parts := map[string]part{}
	for _, p := range report.Parts {
		parts[p.Name] = p
	}
	return parts
}

// health returns the status code, 0 without a response.
func health(url string) int {
	client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{
		DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // as the kubelet does for probes
	}}
	response, err := client.Get(url)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	return response.StatusCode
}

// healthy waits until a component says that it is well.
func (f *fixture) healthy(component, url string) {
	f.Eventually(time.Minute, component+" is healthy at "+url, func() (bool, string) {
		status := health(url)
		return status == http.StatusOK, fmt.Sprint(status)
	})
}

func gardenletHealth(t *testing.T, f *fixture) {
	parts := f.parts(t)
	for _, name := range []string{"gardenlet", "gardener-controller-manager"} {
		url := parts[name].Health
		if !strings.HasPrefix(url, "https://127.0.0.1:") {
			t.Fatalf("%s serves its health at %q", name, url)
		}
		f.healthy(name, url)
	}
}

// components stops the scheduler. Then nothing is scheduled, while the controller manager and the gardenlet continue. Then it stops servers.
func components(t *testing.T, f *fixture) {
	roles := []string{"gardener-controller-manager", "gardener-scheduler", "gardenlet"}
	before := f.parts(t)
	for _, role := range roles {
		f.healthy(role, before[role].Health)
	}
	f.Gardener("part", "stop", "gardener-scheduler")
	if status := health(before["gardener-scheduler"].Health); status != 0 {
		t.Errorf("the scheduler is stopped and answers %d", status)
	}
	f.Eventually(time.Minute, "only the scheduler is stopped", func() (bool, string) {
		parts := f.parts(t)
		return parts["gardener-scheduler"].State == "Stopped" && parts["gardenlet"].State == "Ready" && parts["gardener-controller-manager"].State == "Ready", fmt.Sprintf("%+v", parts)
	})
	f.Kubectl(f.Garden(), "create", "-f", testdata(t, "unscheduled.yaml"))
	f.Eventually(30*time.Second, "the controller manager serves projects", func() (bool, string) {
		phase := f.get(f.Garden(), []string{"get", "project", "parts"}, "{.status.phase}")
		return phase == "Ready", phase
	})
	heartbeat(t, f)
	seedOf := func() string {
		return f.get(f.Garden(), []string{"-n", project, "get", "shoot", "later"}, "{.spec.seedName}")
	}
	if seed := seedOf(); seed != "" {
		t.Errorf("the shoot has been scheduled to %q", seed)
	}
	f.Gardener("part", "start", "gardener-scheduler")
	f.Eventually(30*time.Second, "the shoot is scheduled", func() (bool, string) { return seedOf() != "", "no seed" })
	for _, server := range []struct{ name, ailing string }{ // each with a part that tells
		{"etcd-garden", "gardener-apiserver"}, {"garden-apiserver", "gardener-api"}, {"seed-apiserver", "node"}, {"caches", "gardenlet"}, {"front-door", ""},
	} {
		f.stopServer(t, server.name, server.ailing)
	}
	if r := f.Run("part", "stop", "node"); r.Code != 1 || !strings.Contains(r.Stderr, "cannot be stopped without the others: a kubelet cannot start a second time") {
		t.Errorf("stopping a part that cannot start again: %d %s", r.Code, r.Stderr)
	}
	if r := f.Run("part", "stop", "nobody"); r.Code != 6 {
		t.Errorf("stopping an unknown part: %d %s", r.Code, r.Stderr)
	}
}

// stopServer stops a part that others need. They go on: one of them, ailing, tells that it lacks something. All are ready when it is back.
func (f *fixture) stopServer(t *testing.T, name, ailing string) {
	r := f.Run("part", "stop", name)
	if r.Code != 0 || ailing != "" && !strings.Contains(r.Stderr, ailing) {
		t.Errorf("stopping %s: %d, parts that need it: %s", name, r.Code, r.Stderr)
	}
	f.Eventually(time.Minute, ailing+" tells that "+name+" is stopped", func() (bool, string) {
		parts := f.parts(t)
		return parts[name].State == "Stopped" && (ailing == "" || parts[ailing].State == "Degraded" || parts[ailing].State == "BackOff"), fmt.Sprintf("%+v", parts)
	})
	f.Gardener("part", "start", name)
	f.Eventually(2*time.Minute, "all parts are ready after the start of "+name, func() (bool, string) {
		parts := f.parts(t)
		for _, p := range parts {
			if p.State != "Ready" {
				return false, fmt.Sprintf("%+v", p)
			}
		}
		return true, ""
	})
}
