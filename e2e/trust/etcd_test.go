package trust

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"time"
)

const (
	// smallQuota is that of the shoot's etcd during the test. The quota of a landscape would need 8 GiB.
	smallQuota = 64 << 20
	noSpace    = "database space exceeded"
)

// fullEtcd fills the etcd of the shoot, and lets everybody else write meanwhile.
func fullEtcd(f *fixture) {
	f.Kubectl(f.Seed(), "-n", technical, "patch", "etcd", "etcd-main", "--type=merge", "-p", fmt.Sprintf(
		`{"metadata":{"annotations":{"gardener.cloud/operation":"reconcile"}},"spec":{"etcd":{"quota":"%d"}}}`, smallQuota))
	f.Eventually(2*time.Minute, "the etcd runs with the small quota", func() (bool, string) {
		pod := f.TryKubectl(f.Seed(), "-n", technical, "get", "pod", "etcd-main-0", "-o",
			`jsonpath={.spec.volumes[?(@.name=="etcd-config")].configMap.name} {.status.conditions[?(@.type=="Ready")].status} {.spec.containers[*].args}`)
		name, rest, _ := strings.Cut(pod.Stdout, " ")
		content := f.TryKubectl(f.Seed(), "-n", technical, "get", "configmap", name, "-o", `jsonpath={.data.etcd\.conf\.yaml}`).Stdout
		sum := fmt.Sprintf("--etcd-config-sum=%x", sha256.Sum256([]byte(content))) // of what the member read
		wanted := strings.Contains(content, fmt.Sprintf("quota-backend-bytes: %d\n", smallQuota))
		return wanted && strings.HasPrefix(rest, "True ") && strings.Contains(rest, sum), pod.Stdout + pod.Stderr + content
	})
	blob := strings.Repeat("0123456789", 90_000)
	var objects strings.Builder
	for range 4 {
		fmt.Fprintf(&objects, "apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: fill-, namespace: default, labels: {trust: fill}}\ndata: {a: %q}\n---\n", blob)
	}
	create := []string{"create", "-f", f.File("fill.yaml", objects.String())}
	large := f.File("large", blob[:90_000])
	f.Eventually(5*time.Minute, "the etcd of the shoot is full while others write", func() (bool, string) {
		if r := f.TryKubectl(f.shoot, create...); !strings.Contains(r.Stderr, noSpace) {
			return false, r.Stdout + r.Stderr
		}
		for name, kubeconfig := range map[string]string{"garden": f.Garden(), "seed": f.Seed()} {
			if r := f.TryKubectl(kubeconfig, "-n", "default", "create", "configmap", "beside-a-full-etcd", "--from-file=a="+large); r.Code != 0 {
				f.t.Errorf("nothing can be stored in the %s: %s", name, r.Stderr)
			}
			f.TryKubectl(kubeconfig, "-n", "default", "delete", "configmap", "beside-a-full-etcd")
		}
		r := f.TryKubectl(f.shoot, create...) // the etcd drops its history when it is full, and may have room for some more objects then
		return strings.Contains(r.Stderr, noSpace), r.Stdout + r.Stderr
	})
	f.Kubectl(f.shoot, "-n", "default", "delete", "configmap", "-l", "trust=fill", "--wait=false")
	f.Eventually(3*time.Minute, "the user of the shoot can write again", func() (bool, string) {
		r := f.TryKubectl(f.shoot, create...)
		return r.Code == 0, r.Stderr
	})
}
