package etcd

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/robfig/cron/v3"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/callback"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

func backedUp(uid string) Values {
	return Values{
		Namespace: "shoot--p--s", Role: Main, Replicas: 1, ShootUID: uid, Window: window("223000+0000", "230000+0000"),
		Secrets: Secrets{CA: "ca", Server: "server", Client: "client", PeerCA: "peer-ca", PeerServer: "peer"},
		Backup:  &Backup{Provider: "local", Bucket: "bucket", Prefix: "shoot--p--s--uid", SecretName: "etcd-backup"},
	}
}

// window is a valid one.
func window(begin, end string) helper.TimeWindow {
	w, err := helper.ParseTimeWindow(gardencorev1beta1.MaintenanceTimeWindow{Begin: begin, End: end})
	if err != nil {
		panic(err)
	}
	return w
}

func TestObject(t *testing.T) {
	t.Run("ETC-5 ETC-6 the Etcd specifies backups, resources, TLS and storage, and of the provider only its name", func(t *testing.T) {
		spec := Object(backedUp("uid")).Spec
		store := spec.Backup.Store
		if store == nil || *store.Provider != "local" || *store.Container != "bucket" || store.Prefix != "shoot--p--s--uid/etcd-main" || store.SecretRef.Name != "etcd-backup" || store.EndpointOverride != nil {
			t.Errorf("store %+v", store)
		}
		if spec.Etcd.Resources == nil || spec.Etcd.Resources.Requests.Cpu().IsZero() || spec.Etcd.Resources.Requests.Memory().IsZero() {
			t.Errorf("resources %+v", spec.Etcd.Resources)
		}
		if spec.StorageCapacity.IsZero() || ptr.Deref(spec.Etcd.DefragmentationSchedule, "") == "" || ptr.Deref(spec.Backup.FullSnapshotSchedule, "") == "" {
			t.Errorf("specification %+v", spec)
		}
		for name, tls := range map[string]string{
			"clients": spec.Etcd.ClientUrlTLS.ServerTLSSecretRef.Name, "peers": spec.Etcd.PeerUrlTLS.ServerTLSSecretRef.Name, "backups": spec.Backup.TLS.ServerTLSSecretRef.Name,
		} {
			if tls == "" {
				t.Errorf("no TLS for %s", name)
			}
		}
	})
	t.Run("ETC-7 ETC-11 tasks are at different times, all of which are in the maintenance window", func(t *testing.T) {
		day := time.Date(2026, 1, 4, 0, 0, 0, 0, time.UTC) // before a third day
		for name, tc := range map[string]struct {
			window helper.TimeWindow
			atMost int
		}{
			"the shortest window":     {window("223000+0000", "230000+0000"), 30},
			"a window of three hours": {window("230000+0100", "020000+0100"), 180},
			"no window":               {helper.TimeWindow{}, 24 * 60},
		} {
			minutes := map[string]bool{}
			for i := range 50 {
				values := backedUp(fmt.Sprint("uid-", i))
				values.Window = tc.window
				spec := Object(values).Spec
				for _, text := range []string{*spec.Backup.FullSnapshotSchedule, *spec.Etcd.DefragmentationSchedule} {
					schedule, err := cron.ParseStandard(text)
					if err != nil {
						t.Fatal(err)
					}
					if at := schedule.Next(day); tc.window.Length() > 0 && !tc.window.Contains(at) {
						t.Errorf("%s: %q comes at %s", name, text, at)
					}
					minutes[strings.TrimSuffix(strings.Replace(text, "*/3", "*", 1), " * * *")] = true
				}
			}
			if len(minutes) < 20 || len(minutes) > tc.atMost {
				t.Errorf("%s: times of 50 shoots: %v", name, minutes)
			}
		}
	})
	t.Run("ETC-8 ETC-9 deltas come after five minutes or 100 MiB, and old snapshots are deleted twice a day", func(t *testing.T) {
		backup := Object(backedUp("uid")).Spec.Backup
		if backup.DeltaSnapshotPeriod.Duration != 5*time.Minute || backup.DeltaSnapshotMemoryLimit.Value() != 100<<20 {
			t.Errorf("deltas after %s or %s", backup.DeltaSnapshotPeriod.Duration, backup.DeltaSnapshotMemoryLimit)
		}
		if *backup.GarbageCollectionPolicy != "Exponential" || backup.GarbageCollectionPeriod.Duration != 12*time.Hour {
			t.Errorf("%s each %s", *backup.GarbageCollectionPolicy, backup.GarbageCollectionPeriod.Duration)
		}
	})
	t.Run("ETC-10 snapshots are merged if the configuration wants it", func(t *testing.T) {
		values := backedUp("uid")
		if compaction := Object(values).Spec.Backup.SnapshotCompaction; compaction != nil {
			t.Errorf("not wanted: %+v", compaction)
		}
		values.Backup.Compaction = &druidv1alpha1.SnapshotCompactionSpec{EventsThreshold: ptr.To[int64](7)}
		if compaction := Object(values).Spec.Backup.SnapshotCompaction; compaction == nil || *compaction.EventsThreshold != 7 {
			t.Errorf("wanted: %+v", compaction)
		}
	})
	t.Run("MIG-14 etcd main checks the owner, and etcd events does not", func(t *testing.T) {
		for role, want := range map[string]bool{Main: true, Events: false} {
			values := backedUp("uid")
			values.Role, values.Owner = role, &Owner{Name: "owner.sun.sky.internal", ID: "earth"}
			object := Object(values)
			check := object.Spec.Backup.OwnerCheck
			if _, reaches := object.Spec.Labels[callback.ReachRecords()]; reaches != want {
				t.Errorf("%s reaches the name server: %v", role, reaches)
			}
			if (check != nil) != want || want && (check.Name != "owner.sun.sky.internal" || check.ID != "earth" || check.Interval.Duration != 30*time.Second || check.Timeout.Duration != 2*time.Minute) {
				t.Errorf("%s checks %+v", role, check)
			}
		}
		if check := Object(backedUp("uid")).Spec.Backup.OwnerCheck; check != nil {
			t.Errorf("an etcd without an owner checks %+v", check)
		}
	})
	t.Run("ETC-1 ETC-4 etcd events has no store", func(t *testing.T) {
		values := backedUp("uid")
		values.Role = Events
		if store := Object(values).Spec.Backup.Store; store != nil {
			t.Errorf("store %+v", store)
		}
	})
}
