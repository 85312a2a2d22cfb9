package deployed

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/operator/host"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

func claim(name string) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

// claims are the names of the claims of the first members, as the druid and StatefulSets make them.
func (b *bench) claims() (names []string) {
	b.Helper()
	for _, name := range []string{etcdMain, etcdEvents} {
		etcd := &druidv1alpha1.Etcd{}
		b.read(name, etcd)
		names = append(names, ptr.Deref(etcd.Spec.VolumeClaimTemplate, etcd.Name)+"-"+etcd.Name+"-0")
	}
	return names
}

func TestVolumes(t *testing.T) {
	const usualMain, usualEvents = "main-virtual-garden-etcd-virtual-garden-etcd-main-0", "virtual-garden-etcd-events-virtual-garden-etcd-events-0"
	const formerMain = "virtual-garden-etcd-main-virtual-garden-etcd-main-0"
	for name, tc := range map[string]struct {
		present []string
		want    string
	}{
		"OPR-32 the volumes of a new garden have the names of every Gardener": {nil, usualMain},
		"OPR-32 volumes with these names are used again":                      {[]string{usualMain, usualEvents}, usualMain},
		"OPR-32 a volume of an earlier version is used again, too":            {[]string{formerMain}, formerMain},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			for _, name := range tc.present {
				if err := b.Create(t.Context(), claim(name)); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 {
				b.deploy(aGarden())
				if got := b.claims(); got[0] != tc.want || got[1] != usualEvents {
					t.Errorf("claims %q", got)
				}
			}
		})
	}
	t.Run("OPR-32 volumes with both names are refused", func(t *testing.T) {
		b := newBench(t, claim(usualMain), claim(formerMain))
		r, err := b.inputs.begin(t.Context(), aGarden())
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.volumeClaims(t.Context(), etcdMain)
		if err == nil || !strings.Contains(err.Error(), usualMain) || !strings.Contains(err.Error(), `"`+formerMain+`"`) {
			t.Error(err)
		}
	})
	t.Run("OPR-32 an etcd of an earlier version keeps its volume", func(t *testing.T) {
		b := newBench(t, &druidv1alpha1.Etcd{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: etcdMain}})
		r, err := b.inputs.begin(t.Context(), aGarden())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := r.volumeClaims(t.Context(), etcdMain); got != nil || err != nil {
			t.Errorf("template %v, %v", got, err)
		}
	})
	t.Run("OPR-32 OPR-39 the deletion removes volumes that were there before, and no others", func(t *testing.T) {
		b := newBench(t)
		for _, name := range []string{usualMain, usualEvents, "main-virtual-garden-etcd-virtual-garden-etcd-main-1", usualMain + "-copy", "virtual-garden-etcd-main-old-0"} {
			if err := b.Create(t.Context(), claim(name)); err != nil {
				t.Fatal(err)
			}
		}
		b.deploy(aGarden())
		for range 3 { // until the objects are gone
			_ = b.host.Destroy(t.Context(), aGarden(), host.ETCD)
		}
		left := &corev1.PersistentVolumeClaimList{}
		if err := b.List(t.Context(), left); err != nil {
			t.Fatal(err)
		}
		if len(left.Items) != 2 {
			t.Errorf("%d claims are left: %v", len(left.Items), left.Items)
		}
	})
}
