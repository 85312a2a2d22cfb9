package worker

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/providers/contract"
)

func newPool(zones ...string) extensionsv1alpha1.WorkerPool {
	return extensionsv1alpha1.WorkerPool{
		Name: "pool", MachineType: "local", Minimum: 2, Maximum: 5, Zones: zones,
		MaxSurge: intstr.FromInt32(1), MaxUnavailable: intstr.FromInt32(0),
		MachineImage:      extensionsv1alpha1.MachineImage{Name: "local", Version: "1.0.0"},
		UserDataSecretRef: corev1.SecretKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: "osc-result-init"}, Key: "cloud_config"},
	}
}

func newCluster(version string) *contract.Cluster {
	return &contract.Cluster{Shoot: &gardencorev1beta1.Shoot{Spec: gardencorev1beta1.ShootSpec{
		Kubernetes: gardencorev1beta1.Kubernetes{Version: version},
	}}}
}

func TestPlan(t *testing.T) {
	type row struct {
		Name, Zone         string
		Minimum, Maximum   int32
		Surge, Unavailable string
	}
	for name, tc := range map[string]struct {
		pool extensionsv1alpha1.WorkerPool
		want []row
	}{
		"EXT-11 a pool without zones is one group": {
			pool: newPool(),
			want: []row{{"shoot--p--s-pool-z1", "", 2, 5, "1", "0"}},
		},
		"EXT-11 machines are spread over zones, the first get more, and each can be updated": {
			pool: newPool("a", "b", "c"),
			want: []row{
				{"shoot--p--s-pool-z1", "a", 1, 2, "1", "0"},
				{"shoot--p--s-pool-z2", "b", 1, 2, "1", "0"},
				{"shoot--p--s-pool-z3", "c", 0, 1, "1", "0"},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			worker := &extensionsv1alpha1.Worker{ObjectMeta: metav1.ObjectMeta{Namespace: "shoot--p--s"}}
			worker.Spec.Pools = []extensionsv1alpha1.WorkerPool{tc.pool}
			var got []row
			for _, g := range plan(worker, newCluster("1.36.3"), nodeImageOf("")) {
				got = append(got, row{g.name, g.zone, g.minimum, g.maximum, g.surge.String(), g.unavailable.String()})
				if suffix, ok := strings.CutPrefix(g.class, g.name+"-"); !ok || len(suffix) != hashLength {
					t.Errorf("class %q is not %q and a hash of %d", g.class, g.name, hashLength)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("groups (-want +got):\n%s", diff)
			}
		})
	}
}

// nodeImageOf gives every pool an image that has the version of Kubernetes as its tag; none for an empty name.
func nodeImageOf(name string) func(*extensionsv1alpha1.WorkerPool, string) string {
	return func(_ *extensionsv1alpha1.WorkerPool, version string) string {
		if name == "" {
			return ""
		}
		return name + ":v" + version
	}
}

func TestMachineSpec(t *testing.T) {
	worker := &extensionsv1alpha1.Worker{ObjectMeta: metav1.ObjectMeta{Namespace: "shoot--p--s"}}
	worker.Spec.Pools = []extensionsv1alpha1.WorkerPool{newPool()}
	for name, tc := range map[string]struct {
		image string
		want  api.MachineSpec
	}{
		"EXT-11 machines are pods of the appliance image": {want: api.MachineSpec{Image: "gardener"}},
		"EXT-11 machines are containers of the image for their version": {
			image: "kindest/node", want: api.MachineSpec{Runtime: api.Containers, NodeImage: "kindest/node:v1.36.3"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := machineSpec(plan(worker, newCluster("1.36.3"), nodeImageOf(tc.image))[0], "shoot--p--s", "gardener", nil)
			if err != nil {
				t.Fatal(err)
			}
			got.TypeMeta = metav1.TypeMeta{}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("spec (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSharesAddUp(t *testing.T) {
	for total := int32(0); total < 12; total++ {
		for zones := 1; zones < 5; zones++ {
			sum := int32(0)
			for i := range zones {
				sum += share(total, zones, i)
			}
			if sum != total {
				t.Errorf("EXT-11 %d machines over %d zones became %d", total, zones, sum)
			}
		}
	}
	if got := shareOf(intstr.FromString("20%"), 3, 1); got.String() != "20%" {
		t.Errorf("EXT-11 a percentage became %s", got.String())
	}
}

func TestPoolHash(t *testing.T) {
	pool, cluster := newPool(), newCluster("1.36.3")
	base := poolHash(&pool, cluster, "")
	rotated := newCluster("1.36.3")
	rotated.Shoot.Status.Credentials = &gardencorev1beta1.ShootCredentials{Rotation: &gardencorev1beta1.ShootCredentialsRotation{
		CertificateAuthorities: &gardencorev1beta1.CARotation{LastInitiationTime: &metav1.Time{Time: time.Unix(1, 0)}},
	}}
	waiting := newCluster("1.36.3")
	pending := []gardencorev1beta1.PendingWorkersRollout{{Name: pool.Name}}
	waiting.Shoot.Status.Credentials = &gardencorev1beta1.ShootCredentials{Rotation: &gardencorev1beta1.ShootCredentialsRotation{
		CertificateAuthorities: &gardencorev1beta1.CARotation{LastInitiationTime: &metav1.Time{Time: time.Unix(1, 0)}, PendingWorkersRollouts: pending},
		ServiceAccountKey:      &gardencorev1beta1.ServiceAccountKeyRotation{LastInitiationTime: &metav1.Time{Time: time.Unix(1, 0)}, PendingWorkersRollouts: pending},
	}}
	byHand := newCluster("1.36.3")
	byHand.Shoot.Status.ManualWorkerPoolRollout = &gardencorev1beta1.ManualWorkerPoolRollout{
		PendingWorkersRollouts: []gardencorev1beta1.PendingWorkersRollout{{Name: pool.Name, LastInitiationTime: &metav1.Time{Time: time.Unix(1, 0)}}},
	}
	secret := "gardener-node-agent-2"
	for name, tc := range map[string]struct {
		change  func(*extensionsv1alpha1.WorkerPool)
		cluster *contract.Cluster
		image   string
		rolls   bool
	}{
		"EXT-11 nothing changed":                          {change: func(*extensionsv1alpha1.WorkerPool) {}},
		"EXT-11 a patch of Kubernetes keeps the machines": {change: func(*extensionsv1alpha1.WorkerPool) {}, cluster: newCluster("1.36.9")},
		"EXT-11 a minor of Kubernetes replaces them":      {change: func(*extensionsv1alpha1.WorkerPool) {}, cluster: newCluster("1.37.0"), rolls: true},
		"EXT-11 new authorities replace them":             {change: func(*extensionsv1alpha1.WorkerPool) {}, cluster: rotated, rolls: true},
		"CAR-9 a pool that waits for its user keeps them": {change: func(*extensionsv1alpha1.WorkerPool) {}, cluster: waiting},
		"CAR-9 a roll-out by hand replaces them":          {change: func(*extensionsv1alpha1.WorkerPool) {}, cluster: byHand, rolls: true},
		"EXT-11 numbers and labels keep them": {change: func(p *extensionsv1alpha1.WorkerPool) {
			p.Maximum, p.Labels, p.Taints = 9, map[string]string{"a": "b"}, []corev1.Taint{{Key: "t"}}
		}},
		"EXT-11 a new machine image replaces them": {change: func(p *extensionsv1alpha1.WorkerPool) { p.MachineImage.Version = "2.0.0" }, rolls: true},
		"EXT-11 a new machine type replaces them":  {change: func(p *extensionsv1alpha1.WorkerPool) { p.MachineType = "large" }, rolls: true},
		"EXT-11 a new volume replaces them": {change: func(p *extensionsv1alpha1.WorkerPool) {
			p.Volume = &extensionsv1alpha1.Volume{Size: "20Gi"}
		}, rolls: true},
		"EXT-11 a new image of the nodes replaces them": {change: func(*extensionsv1alpha1.WorkerPool) {}, image: "kindest/node:v1.36.4", rolls: true},
		"EXT-11 new content replaces them":              {change: func(p *extensionsv1alpha1.WorkerPool) { p.NodeAgentSecretName = &secret }, rolls: true},
	} {
		t.Run(name, func(t *testing.T) {
			changed := newPool()
			tc.change(&changed)
			if tc.cluster == nil {
				tc.cluster = cluster
			}
			if got := poolHash(&changed, tc.cluster, tc.image) != base; got != tc.rolls {
				t.Errorf("hash changed is %v, want %v", got, tc.rolls)
			}
		})
	}
}

func TestReplicas(t *testing.T) {
	n := func(v int32) *int32 { return &v }
	g := group{minimum: 2, maximum: 5}
	for name, tc := range map[string]struct {
		existing, saved *int32
		hibernated      bool
		want            int32
	}{
		"EXT-11 a new group gets the minimum":               {want: 2},
		"EXT-11 the autoscaler's number stays":              {existing: n(4), want: 4},
		"EXT-11 too many are cut to the maximum":            {existing: n(9), want: 5},
		"EXT-11 too few are raised to the minimum":          {existing: n(1), want: 2},
		"EXT-11 a hibernated shoot has none":                {existing: n(4), hibernated: true, want: 0},
		"EXT-11 a shoot wakes up with the minimum":          {existing: n(0), want: 2},
		"MIG-8 a restored group gets what it had":           {saved: n(3), want: 3},
		"MIG-8 what exists counts more than what was saved": {existing: n(4), saved: n(3), want: 4},
	} {
		t.Run(name, func(t *testing.T) {
			if got := replicas(g, tc.existing, tc.saved, tc.hibernated); got != tc.want {
				t.Errorf("replicas are %d, want %d", got, tc.want)
			}
		})
	}
}
