package settings

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

// TestSideBySide starts three landscapes at the same time, without any configuration.
func TestSideBySide(t *testing.T) {
	home := framework.NewHome(t)
	names := []string{"one", "two", "three"}
	starts := make([]framework.Result, len(names))
	var group sync.WaitGroup
	for i, name := range names {
		group.Go(func() { starts[i] = home.Run("up", "--landscape", name) })
	}
	group.Wait()
	for i, start := range starts {
		if err := start.Check("up " + names[i]); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("APP-2 each has ports and ranges of its own, and answers", func(t *testing.T) {
		l := home.For(t)
		seen := map[string]string{}
		for line := range strings.Lines(l.Gardener("landscape", "list", "-o", "wide")) {
			columns := strings.Fields(line)
			if columns[0] == "LANDSCAPE" {
				continue
			}
			if columns[1] != "running" {
				t.Errorf("landscape %s is %s", columns[0], columns[1])
			}
			for _, own := range columns[3:6] {
				if other, taken := seen[own]; taken {
					t.Errorf("%s and %s both have %s", other, columns[0], own)
				}
				seen[own] = columns[0]
			}
		}
		if len(seen) != 3*len(names) {
			t.Errorf("ports and ranges of the landscapes: %v", seen)
		}
		for _, name := range names {
			if seed := l.Gardener("--landscape", name, "kubectl", "get", "seeds", "-o", "name"); !strings.Contains(seed, "/local") {
				t.Errorf("seeds of %s: %q", name, seed)
			}
		}
	})
	t.Run("APP-35 an up of a running landscape succeeds and says so", func(t *testing.T) {
		l := home.For(t)
		if out := l.Gardener("up", "--landscape", "two"); !strings.Contains(out, "running already") || !strings.Contains(out, "GARDENER_LANDSCAPE=two") {
			t.Errorf("up again says:\n%s", out)
		}
		if r := l.Run("up", "--landscape", "two", "--port", "9999"); r.Code != 0 || !strings.Contains(r.Stderr, "another configuration") {
			t.Errorf("up with another port: code %d\n%s%s", r.Code, r.Stdout, r.Stderr)
		}
	})
	t.Run("APP-35 one file holds kubeconfigs of several landscapes", func(t *testing.T) {
		l := home.For(t)
		file := filepath.Join(l.Dir, "merged.yaml")
		for _, name := range names[:2] {
			l.Gardener("kubeconfig", "garden", "--merge", file, "--landscape", name)
			l.Gardener("kubeconfig", "seed", "--merge", file, "--landscape", name)
		}
		identity := []string{"-n", "kube-system", "get", "configmap", "cluster-identity", "-o", "jsonpath={.data.cluster-identity}"}
		for _, name := range names[:2] {
			got := l.Gardener(append([]string{"kubectl", "--kubeconfig", file, "--context", "garden-" + name}, identity...)...)
			if !strings.HasPrefix(got, name+"-") {
				t.Errorf("context garden-%s leads to the landscape %s", name, got)
			}
			seed := l.Gardener(append([]string{"kubectl", "--kubeconfig", file, "--context", name + "/seed-local"}, identity...)...)
			want := l.Kubectl(l.File(name+".yaml", l.Gardener("kubeconfig", "seed", "--landscape", name)), identity...)
			if seed != want || seed == "" {
				t.Errorf("context %s/seed-local leads to the seed %s, not %s", name, seed, want)
			}
		}
		contexts := l.Gardener("kubectl", "--kubeconfig", file, "config", "get-contexts", "-o", "name")
		if strings.Join(strings.Fields(contexts), " ") != "garden-one garden-two one/seed-local two/seed-local" {
			t.Errorf("contexts: %s", contexts)
		}
	})
	t.Run("APP-35 lists and the configuration have all outputs", func(t *testing.T) {
		l := home.For(t)
		for args, want := range map[string]string{
			"landscape list -o name": "two", "seed list -o wide": "REGION", "seed list -o name": "local", "events -o json": "involvedObject", "logs --since 1h --part disk --tail 1": `"part":"disk"`,
			"config view": "name: two", "config view -o json": `"podCIDR"`, "config template": "kind: Landscape", "status -o yaml": "parts:",
		} {
			l.Eventually(time.Minute, fmt.Sprintf("gardener %s prints %q", args, want), func() (bool, string) { // status ends with 1 while a part is slow
				r := l.Run(append(strings.Fields(args), "--landscape", "two")...)
				return r.Code == 0 && strings.Contains(r.Stdout, want), r.Stdout + r.Stderr
			})
		}
	})
	t.Run("APP-2 run, down, status, logs and doctor are of one landscape, down --all of each", func(t *testing.T) {
		l := home.For(t)
		before := l.Gardener("landscape", "list", "-o", "wide")
		l.Gardener("down", "--landscape", "one")
		for name, code := range map[string]int{"one": 3, "two": 0, "three": 0} {
			l.Eventually(time.Minute, "the status of "+name, func() (bool, string) { // 1 while a part is slow
				r := l.Run("status", "--landscape", name)
				return r.Code == code, fmt.Sprint(r.Code, r.Stdout, r.Stderr)
			})
		}
		l.Gardener("doctor", "--landscape", "one") // which is stopped
		l.Gardener("doctor", "--landscape", "two")
		if log := l.Gardener("logs", "--landscape", "three", "--tail=5"); log == "" {
			t.Error("no log")
		}
		ran := make(chan framework.Result, 1)
		go func() { ran <- home.Run("run", "--landscape", "one") }()
		l.Eventually(2*time.Minute, "the landscape in the foreground is ready", func() (bool, string) {
			r := l.Run("status", "--landscape", "one")
			return r.Code == 0, r.Stderr
		})
		if after := l.Gardener("landscape", "list", "-o", "wide"); strings.Join(strings.Fields(after), " ") != strings.Join(strings.Fields(before), " ") {
			t.Errorf("before a restart:\n%s\nafter it:\n%s", before, after)
		}
		l.Gardener("down", "--all")
		if err := (<-ran).Check("run one"); err != nil {
			t.Error(err)
		}
		if list := l.Gardener("landscape", "list"); strings.Count(list, "stopped") != len(names) {
			t.Errorf("after down --all:\n%s", list)
		}
	})
	t.Run("APP-35 a purge wants to be confirmed", func(t *testing.T) {
		l := home.For(t)
		if r := l.Run("down", "--all", "--purge"); r.Code != 2 || !strings.Contains(r.Stderr, "--yes") {
			t.Errorf("code %d\n%s%s", r.Code, r.Stdout, r.Stderr)
		}
		l.Gardener("down", "--all", "--purge", "--yes")
		if list := l.Gardener("landscape", "list", "-o", "json"); strings.TrimSpace(list) != "[]" {
			t.Errorf("after the purge:\n%s", list)
		}
	})
}
