package daytwo

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// recoverQuorum deletes the data of two members of the shoot's etcd. It does not begin anew until somebody says that they do not come back.
func recoverQuorum(f *fixture) {
	f.t.Helper()
	const annotation = "druid.gardener.cloud/recover-from-quorum-loss"
	etcd := []string{"-n", technical, "etcd", "etcd-main"}
	state := func() string {
		f.t.Helper()
		return f.get(f.Seed(), etcd, `{.status.conditions[?(@.type=="Ready")].status} {.status.readyReplicas} {.metadata.annotations.`+strings.ReplaceAll(annotation, ".", `\.`)+`}`)
	}
	f.Kubectl(f.shoot, "-n", "default", "create", "secret", "generic", "survivor", "--from-literal=number=value-survivor")
	f.Gardener("shoot", "backup", "daytwo", "-n", project)

	var lost []string
	for _, member := range []string{"1", "2"} {
		found, err := filepath.Glob(filepath.Join(f.StateDir, "volumes", technical, "*etcd-main-"+member+"*", "new.etcd"))
		if err != nil || len(found) != 1 {
			f.t.Fatalf("data of member %s: %v, %v", member, found, err)
		}
		lost = append(lost, found[0])
	}
	for _, data := range lost {
		if err := os.RemoveAll(data); err != nil {
			f.t.Fatal(err)
		}
	}
	f.Kubectl(f.Seed(), "-n", technical, "delete", "pod", "etcd-main-1", "etcd-main-2", "--grace-period=0", "--force")
	f.Eventually(2*time.Minute, "the etcd has lost its majority", func() (bool, string) {
		got := state()
		return strings.HasPrefix(got, "False"), got
	})
	if r := f.TryKubectl(f.shoot, "-n", "default", "create", "secret", "generic", "refused", "--request-timeout=5s"); r.Code == 0 {
		f.t.Error("an etcd without a majority accepts a Secret")
	}

	f.Kubectl(f.Seed(), "-n", technical, "annotate", "etcd", "etcd-main", annotation+"=true")
	f.Eventually(3*time.Minute, "three members serve again", func() (bool, string) {
		got := state()
		return got == "True 3", got
	})
	f.Eventually(time.Minute, "the API server answers with what was backed up", func() (bool, string) {
		r := f.TryKubectl(f.shoot, "-n", "default", "get", "secret", "survivor", "-o", "name")
		return r.Code == 0, r.Stderr
	})
	f.Kubectl(f.shoot, "-n", "default", "delete", "secret", "survivor")
	f.readable()
}
