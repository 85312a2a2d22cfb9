package kind

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
)

var owners = []step{
	{"MIG-14 an etcd asks the landscape who owns it, and starts again while the landscape does not run", landscapeRests, true},
	{"MIG-14 MIG-19 it stops when another seed is the owner, and does not start again while it cannot ask", disowned, true},
}

// etcdReady waits until the pod of etcd-main is ready, or not.
func (f *fixture) etcdReady(timeout time.Duration, what, want string) {
	f.await(timeout, what, func() (bool, string) {
		r := f.TryKubectl(f.Seed(), "-n", technical, "get", "pod", "etcd-main-0", "-o", `jsonpath={.status.conditions[?(@.type=="Ready")].status}`)
		return r.Stdout == want, r.Stdout + r.Stderr
	})
}

// etcdSays waits for a line in the log of the pod of etcd-main.
func (f *fixture) etcdSays(timeout time.Duration, line string) {
	f.await(timeout, "etcd-main says: "+line, func() (bool, string) {
		r := f.TryKubectl(f.Seed(), "-n", technical, "logs", "etcd-main-0")
		return strings.Contains(r.Stdout, line), r.Stdout + r.Stderr
	})
}

// identity is the value by which the record names the first seed.
func (f *fixture) identity() string {
	return f.Kubectl(f.Seed(), "-n", "kube-system", "get", "configmap", "cluster-identity", "-o", "jsonpath={.data.cluster-identity}")
}

func landscapeRests(t *testing.T, f *fixture) {
	args := strings.Fields(f.Kubectl(f.Seed(), "-n", technical, "get", "pod", "etcd-main-0", "-o", `jsonpath={range .spec.containers[0].args[*]}{@}{"\n"}{end}`))
	name := f.Kubectl(f.Seed(), "-n", technical, "get", "dnsrecord", shootName+"-owner", "-o", "jsonpath={.spec.name}")
	for _, want := range []string{"--owner-name=" + name, "--owner-id=" + f.identity(), "--owner-server=landscape-records.garden.svc:53"} {
		if !slices.Contains(args, want) {
			t.Errorf("no argument %s in %q", want, args)
		}
	}
	if err := syscall.Kill(f.Daemon(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	f.Eventually(time.Minute, "the daemon is gone", func() (bool, string) { return f.Daemon() == 0, fmt.Sprint(f.Processes()) })
	f.Kubectl(f.Seed(), "-n", technical, "delete", "pod", "etcd-main-0")
	f.etcdReady(3*time.Minute, "etcd-main serves without the landscape", "True")
	f.etcdSays(time.Minute, "because no name server answers")
	f.Gardener("up")
	f.ready()
}

func disowned(t *testing.T, f *fixture) {
	owner := func(value string) {
		patch := fmt.Sprintf(`{"metadata":{"annotations":{"gardener.cloud/operation":"reconcile"}},"spec":{"values":[%q]}}`, value)
		f.Kubectl(f.Seed(), "-n", technical, "patch", "dnsrecord", shootName+"-owner", "--type=merge", "-p", patch)
	}
	callback := func(replicas string) {
		f.Kubectl(f.Seed(), "-n", "garden", "scale", "deployment", "landscape-callback", "--replicas="+replicas)
		f.await(2*time.Minute, "landscape-callback has "+replicas+" pods", func() (bool, string) {
			r := f.TryKubectl(f.Seed(), "-n", "garden", "get", "deployment", "landscape-callback", "-o", "jsonpath={.status.readyReplicas}")
			return r.Code == 0 && r.Stdout == strings.Trim(replicas, "0"), r.Stdout + r.Stderr // none is not written as 0
		})
	}
	f.Gardener("part", "stop", "gardenlet") // which would take the record and the Deployment back
	owner("moon")
	f.etcdReady(3*time.Minute, "etcd-main does not serve for another owner", "False")
	f.await(2*time.Minute, "there is a final snapshot", func() (bool, string) {
		files, err := filepath.Glob(filepath.Join(f.StateDir, "backups", "local", "*", technical+"--*", "etcd-main", "v2", "*"))
		return err == nil && slices.ContainsFunc(files, func(file string) bool {
			s, ok := snapshot.Parse("v2/" + filepath.Base(file))
			return ok && s.Final
		}), fmt.Sprint(files, err)
	})
	callback("0")
	f.Kubectl(f.Seed(), "-n", technical, "delete", "pod", "etcd-main-0")
	f.etcdSays(3*time.Minute, "The etcd does not run, because it has no owner here")
	f.etcdReady(time.Second, "etcd-main does not serve after it has started again", "False")
	owner(f.identity())
	callback("1")
	f.etcdReady(3*time.Minute, "etcd-main serves again", "True")
	f.Gardener("part", "start", "gardenlet")
	f.ready()
}
