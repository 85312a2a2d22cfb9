package etcd

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	component "github.com/gardener-up/gardener-up/controllers/gardenlet/component/etcd"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/project"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

// way records what an Access is asked for.
type way struct{ granted, revoked []Location }

func (w *way) Grant(_ context.Context, of Location, _ string) error {
	w.granted = append(w.granted, of)
	return nil
}

func (w *way) Revoke(_ context.Context, of Location, _ string) error {
	w.revoked = append(w.revoked, of)
	return nil
}

// move is a shoot that moves from the seed "old" to the seed "new".
type move struct {
	source Source
	garden client.WithWatch
	access *way
}

// newMove makes the objects of a move. Requests that refused returns true for are forbidden.
func newMove(t *testing.T, refused func(verb string, object runtime.Object) bool, objects ...client.Object) *move {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := errors.Join(gardencorev1beta1.AddToScheme(scheme), druidv1alpha1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	named := func(o client.Object) []string { return []string{o.GetName()} }
	forbidden := apierrors.NewForbidden(gardencorev1beta1.SchemeGroupVersion.WithResource("backupentries").GroupResource(), "any", errors.New("the graph is behind"))
	garden := fake.NewClientBuilder().WithScheme(scheme).WithStatusSubresource(&gardencorev1beta1.BackupEntry{}).WithObjects(objects...).WithIndex(&gardencorev1beta1.BackupEntry{}, "metadata.name", named)
	m := &move{access: &way{}}
	m.garden = interceptor.NewClient(garden.Build(), interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			o.SetName(key.Name)
			if refused("get", o) {
				return forbidden
			}
			return c.Get(ctx, key, o, opts...)
		},
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			if refused("delete", o) {
				return forbidden
			}
			return c.Delete(ctx, o, opts...)
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			if refused("list", list) {
				return forbidden
			}
			return c.List(ctx, list, opts...)
		},
	})
	shoot := &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: "s"}}
	to := &gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{Name: "new", UID: "uid-new"}, Spec: gardencorev1beta1.SeedSpec{Backup: &gardencorev1beta1.Backup{Provider: "local"}}}
	m.source = Source{
		Backup: Backup{Shoot: shoot, Seed: to, Name: "shoot--p--s--1", Project: project.Project{Shoot: shoot, Client: m.garden, Reader: m.garden}, GardenReader: m.garden, Clock: clocktesting.NewFakePassiveClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))},
		Space:  seed.New("shoot--p--s", "image", fake.NewClientBuilder().WithScheme(scheme).Build(), nil, nil),
		Access: m.access,
	}
	return m
}

// backups makes a BackupEntry.
func backups(name, bucket string) *gardencorev1beta1.BackupEntry {
	return &gardencorev1beta1.BackupEntry{
		ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: name, Generation: 1},
		Spec:       gardencorev1beta1.BackupEntrySpec{BucketName: bucket, SeedName: ptr.To("new")},
		Status: gardencorev1beta1.BackupEntryStatus{
			ObservedGeneration: 1, LastOperation: &gardencorev1beta1.LastOperation{State: gardencorev1beta1.LastOperationStateSucceeded},
		},
	}
}

func bucket(name string) *gardencorev1beta1.BackupBucket {
	return &gardencorev1beta1.BackupBucket{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: gardencorev1beta1.BackupBucketSpec{
		SeedName: ptr.To("old"), Provider: gardencorev1beta1.BackupBucketProvider{Type: "local"},
	}}
}

const entryName, sourceName = "shoot--p--s--1", "source-shoot--p--s--1"

func nothing(string, runtime.Object) bool { return false }

// steps are those before a new etcd begins.
func (m *move) steps() map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"Deploy": m.source.Deploy, "Await": m.source.Await, "Copy": m.source.Copy, "AwaitCopy": m.source.AwaitCopy,
	}
}

// copying returns the task that copies backups, nil if there is none.
func (m *move) copying(t *testing.T) *druidv1alpha1.EtcdCopyBackupsTask {
	t.Helper()
	task := m.source.task()
	err := m.source.Space.Client.Get(t.Context(), client.ObjectKeyFromObject(task), task)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return task
}

// The admission controller forbids what is not known to be of the seed, also if it does not exist.
func TestDeleteBackup(t *testing.T) {
	unknown := func(verb string, o runtime.Object) bool { return verb == "delete" }
	t.Run("GLT-34 an entry that was never made is gone", func(t *testing.T) {
		if err := newMove(t, unknown).source.Backup.Delete(t.Context()); err != nil {
			t.Error(err)
		}
	})
	t.Run("GLT-34 an entry that may not be deleted yet is no success", func(t *testing.T) {
		if err := newMove(t, unknown, backups(entryName, "uid-new")).source.Backup.Delete(t.Context()); !apierrors.IsForbidden(err) {
			t.Errorf("error is %v, want one that says that it is forbidden", err)
		}
	})
	t.Run("GLT-34 an entry is deleted", func(t *testing.T) {
		m := newMove(t, nothing, backups(entryName, "uid-new"))
		if err := m.source.Backup.Delete(t.Context()); err != nil {
			t.Fatal(err)
		}
		if left, err := m.source.Backup.find(t.Context()); err != nil || left != nil {
			t.Errorf("entry %v is left, error %v", left, err)
		}
	})
}

func TestSourceThatCannotBeRead(t *testing.T) {
	for _, step := range []string{"Deploy", "Await", "Copy", "AwaitCopy"} {
		t.Run("MIG-16 "+step+" fails while no entry may be read", func(t *testing.T) {
			m := newMove(t, func(string, runtime.Object) bool { return true }, backups(entryName, "uid-new"), backups(sourceName, "uid-old"), bucket("uid-old"))
			if err := m.steps()[step](t.Context()); !apierrors.IsForbidden(err) {
				t.Errorf("error is %v, want one that says that it is forbidden", err)
			}
		})
	}
	for _, step := range []string{"Await", "Copy", "AwaitCopy"} {
		t.Run("MIG-16 "+step+" fails if the backups are elsewhere and have no source", func(t *testing.T) {
			m := newMove(t, nothing, backups(entryName, "uid-old"))
			if err := m.steps()[step](t.Context()); err == nil || !strings.Contains(err.Error(), `bucket "uid-old"`) {
				t.Errorf("error is %v, want one that names the bucket", err)
			}
			if task := m.copying(t); task != nil {
				t.Errorf("a task %v copies backups", task.Spec)
			}
		})
	}
	t.Run("MIG-17 backups are copied though the entry of the source cannot be got yet", func(t *testing.T) {
		behind := func(verb string, o runtime.Object) bool {
			entry, is := o.(*gardencorev1beta1.BackupEntry)
			return verb == "get" && is && entry.Name == sourceName
		}
		m := newMove(t, behind, backups(entryName, "uid-new"), backups(sourceName, "uid-old"), bucket("uid-old"))
		if err := m.source.Copy(t.Context()); err != nil {
			t.Fatal(err)
		}
		if task := m.copying(t); task == nil || *task.Spec.SourceStore.Container != "uid-old" || len(m.access.granted) == 0 {
			t.Errorf("task is %+v, access granted to %v", task, m.access.granted)
		}
	})
	t.Run("MIG-17 the new etcd waits for the copy; one that failed is removed, so that the next attempt copies again", func(t *testing.T) {
		m := newMove(t, nothing, backups(entryName, "uid-new"), backups(sourceName, "uid-old"), bucket("uid-old"))
		for _, end := range []struct {
			how  druidv1alpha1.ConditionType
			want string
		}{{druidv1alpha1.EtcdCopyBackupsTaskFailed, "the task has failed: no space"}, {druidv1alpha1.EtcdCopyBackupsTaskSucceeded, ""}} {
			if err := m.source.Copy(t.Context()); err != nil {
				t.Fatal(err)
			}
			waiting, cancel := context.WithCancel(t.Context())
			cancel()
			if err := m.source.AwaitCopy(waiting); err == nil || !strings.Contains(err.Error(), `Job in namespace "shoot--p--s"`) {
				t.Errorf("a copy that has not ended is %v, which does not tell where to look", err)
			}
			task := m.copying(t)
			task.Status.Conditions = []druidv1alpha1.Condition{{Type: end.how, Status: druidv1alpha1.ConditionTrue, Message: "no space"}}
			if err := m.source.Space.Client.Update(t.Context(), task); err != nil {
				t.Fatal(err)
			}
			err := m.source.AwaitCopy(t.Context())
			if end.want == "" && err != nil || end.want != "" && (err == nil || !strings.Contains(err.Error(), end.want)) {
				t.Errorf("%s: %v, want %q", end.how, err, end.want)
			}
			if task := m.copying(t); (task == nil) != (end.how == druidv1alpha1.EtcdCopyBackupsTaskFailed) {
				t.Errorf("%s: the task is %+v", end.how, task)
			}
		}
		if err := m.source.DestroyCopy(t.Context()); err != nil || m.copying(t) != nil {
			t.Errorf("the task is left: %v", err)
		}
	})
	t.Run("MIG-17 nothing is copied once the new etcd is there", func(t *testing.T) {
		m := newMove(t, nothing, backups(entryName, "uid-new"), backups(sourceName, "uid-old"), bucket("uid-old"))
		if err := m.source.Space.Client.Create(t.Context(), object(component.Main, m.source.Space.Name)); err != nil {
			t.Fatal(err)
		}
		for _, step := range []string{"Copy", "AwaitCopy"} {
			if err := m.steps()[step](t.Context()); err != nil {
				t.Errorf("%s: %v", step, err)
			}
		}
		if task := m.copying(t); task != nil {
			t.Errorf("a task %v copies backups", task.Spec)
		}
	})
	t.Run("MIG-18 the copy waits five minutes for the final snapshot", func(t *testing.T) {
		m := newMove(t, nothing, backups(entryName, "uid-new"), backups(sourceName, "uid-old"), bucket("uid-old"))
		if err := m.source.Copy(t.Context()); err != nil {
			t.Fatal(err)
		}
		if wait := m.copying(t).Spec.WaitForFinalSnapshot; wait == nil || !wait.Enabled || wait.Timeout == nil || wait.Timeout.Duration != 5*time.Minute {
			t.Errorf("it waits for %+v", wait)
		}
	})
	t.Run("a shoot whose backups are in the bucket of this seed has no source", func(t *testing.T) {
		m := newMove(t, nothing, backups(entryName, "uid-new"))
		for name, step := range m.steps() {
			if err := step(t.Context()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := m.garden.Get(t.Context(), client.ObjectKey{Namespace: "garden-p", Name: sourceName}, backups(sourceName, "")); !apierrors.IsNotFound(err) || m.copying(t) != nil {
			t.Errorf("a source appeared: %v, task %v", err, m.copying(t))
		}
	})
}

// TestSourceInObjectStore moves backups from a bucket in an object store, which the nodes of each seed reach with the credentials of the bucket.
func TestSourceInObjectStore(t *testing.T) {
	for _, provider := range []string{"S3", "aws", "GCS", "gcp", "ABS", "azure"} {
		for name, access := range map[string]Access{"that reads directories of other seeds": refusing{}, "without them": nil} {
			t.Run("MIG-16 MIG-17 a gardenlet "+name+" copies from a bucket of provider "+provider, func(t *testing.T) {
				there := bucket("uid-old")
				there.Spec.Provider.Type = provider
				m := newMove(t, nothing, backups(entryName, "uid-new"), backups(sourceName, "uid-old"), there)
				m.source.Access = access
				if err := m.source.Copy(t.Context()); err != nil {
					t.Fatal(err)
				}
				task := m.copying(t)
				if from := task.Spec.SourceStore; *from.Provider != druidv1alpha1.StorageProvider(provider) || *from.Container != "uid-old" || from.SecretRef.Name != "source-etcd-backup" || from.Prefix != entryName+"/etcd-main" {
					t.Errorf("it copies from %+v", from)
				}
				if task.Spec.PodLabels["networking.gardener.cloud/to-public-networks"] != "allowed" || task.Spec.PodLabels["networking.gardener.cloud/to-dns"] != "allowed" {
					t.Errorf("its pods, which have the labels %v, do not reach the object store", task.Spec.PodLabels)
				}
				task.Status.Conditions = []druidv1alpha1.Condition{{Type: druidv1alpha1.EtcdCopyBackupsTaskSucceeded, Status: druidv1alpha1.ConditionTrue}}
				if err := m.source.Space.Client.Update(t.Context(), task); err != nil {
					t.Fatal(err)
				}
				if err := errors.Join(m.source.AwaitCopy(t.Context()), m.source.Destroy(t.Context())); err != nil {
					t.Error(err)
				}
			})
		}
	}
	t.Run("MIG-16 a gardenlet without directories of other seeds cannot copy from them, and says so", func(t *testing.T) {
		m := newMove(t, nothing, backups(entryName, "uid-new"), backups(sourceName, "uid-old"), bucket("uid-old"))
		m.source.Access = nil
		if err := m.source.Copy(t.Context()); err == nil || !strings.Contains(err.Error(), `bucket "uid-old" of seed "old"`) || m.copying(t) != nil {
			t.Errorf("error %v, task %v", err, m.copying(t))
		}
	})
	for name, access := range map[string]Access{"with": &way{}, "without": nil} {
		t.Run("MIG-16 a gardenlet "+name+" directories of other seeds copies from no bucket of provider Swift, and says so", func(t *testing.T) {
			there := bucket("uid-old")
			there.Spec.Provider.Type = "Swift"
			m := newMove(t, nothing, backups(entryName, "uid-new"), backups(sourceName, "uid-old"), there)
			m.source.Access = access
			err := m.source.Copy(t.Context())
			if err == nil || !strings.Contains(err.Error(), `bucket "uid-old" of seed "old" is of provider "Swift"`) || strings.Contains(err.Error(), "director") || m.copying(t) != nil {
				t.Errorf("error %v, task %v", err, m.copying(t))
			}
		})
	}
	t.Run("a Job that copies between directories reaches no network", func(t *testing.T) {
		m := newMove(t, nothing, backups(entryName, "uid-new"), backups(sourceName, "uid-old"), bucket("uid-old"))
		if err := m.source.Copy(t.Context()); err != nil {
			t.Fatal(err)
		}
		if labels := m.copying(t).Spec.PodLabels; len(labels) > 0 {
			t.Errorf("its pods have the labels %v", labels)
		}
	})
}

func TestDeployOfSource(t *testing.T) {
	for name, tc := range map[string]struct {
		bucket string
		want   []gardencorev1beta1.BackupEntrySpec
	}{
		"MIG-16 this seed gets an entry that leads to the bucket of the source": {"uid-old", []gardencorev1beta1.BackupEntrySpec{{BucketName: "uid-old", SeedName: ptr.To("new")}}},
		"MIG-16 it needs none when the backups are in its own bucket":           {"uid-new", nil},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMove(t, nothing, backups(entryName, tc.bucket))
			if err := m.source.Deploy(t.Context()); err != nil {
				t.Fatal(err)
			}
			all := &gardencorev1beta1.BackupEntryList{}
			if err := m.garden.List(t.Context(), all); err != nil {
				t.Fatal(err)
			}
			var got []gardencorev1beta1.BackupEntrySpec
			for _, entry := range all.Items {
				if entry.Name == sourceName {
					got = append(got, entry.Spec)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("entries of the source (-want +got):\n%s", diff)
			}
		})
	}
}

// refusing is the Access of a landscape, which knows no object store.
type refusing struct{}

func (refusing) Grant(context.Context, Location, string) error { return errors.New("granted") }

func (refusing) Revoke(context.Context, Location, string) error { return errors.New("revoked") }

func TestDestroyOfSource(t *testing.T) {
	for name, objects := range map[string][]client.Object{
		"MIG-16 the access ends":                                 {backups(sourceName, "uid-old"), bucket("uid-old")},
		"MIG-16 the access ends though its bucket has been gone": {backups(sourceName, "uid-old")},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMove(t, nothing, objects...)
			for range 2 {
				if err := m.source.Destroy(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if got := m.access.revoked; len(got) != 1 || got[0].Bucket != "uid-old" || got[0].Prefix != entryName+"/etcd-main" {
				t.Errorf("revoked %+v", got)
			}
			if err := m.garden.Get(t.Context(), client.ObjectKey{Namespace: "garden-p", Name: sourceName}, backups(sourceName, "")); !apierrors.IsNotFound(err) {
				t.Errorf("the entry is there: %v", err)
			}
		})
	}
	t.Run("MIG-16 what may not be read is left", func(t *testing.T) {
		m := newMove(t, func(string, runtime.Object) bool { return true })
		if err := m.source.Destroy(t.Context()); err != nil {
			t.Error(err)
		}
	})
	t.Run("the bucket of this seed is never taken away", func(t *testing.T) {
		m := newMove(t, nothing, backups(sourceName, "uid-new"), bucket("uid-new"))
		if err := m.source.Destroy(t.Context()); err != nil || len(m.access.revoked) > 0 {
			t.Errorf("error %v, revoked %v", err, m.access.revoked)
		}
	})
}

func TestTakeOver(t *testing.T) {
	of := func(wanted, held string, kind gardencorev1beta1.LastOperationType, state gardencorev1beta1.LastOperationState) *gardencorev1beta1.BackupEntry {
		e := backups(entryName, "uid-old")
		e.Spec.SeedName = &wanted
		if held != "" {
			e.Status.SeedName = &held
		}
		e.Status.LastOperation = &gardencorev1beta1.LastOperation{Type: kind, State: state}
		return e
	}
	for name, tc := range map[string]struct {
		entry *gardencorev1beta1.BackupEntry
		taken bool
	}{
		"MIG-15 an entry that the former seed has is taken":             {of("old", "old", "Create", "Succeeded"), true},
		"MIG-15 so is one that it is about to release":                  {of("new", "old", "Migrate", "Processing"), true},
		"MIG-15 so is one that it touched after it was taken":           {of("new", "", "Migrate", "Processing"), true},
		"MIG-11 an entry that it has released stays as it is":           {of("new", "old", "Migrate", "Succeeded"), false},
		"MIG-15 an entry that was taken stays as it is":                 {of("new", "", "Migrate", "Aborted"), false},
		"MIG-15 an entry that has been restored here stays as it is":    {of("new", "new", "Restore", "Succeeded"), false},
		"MIG-15 an entry that is being restored here stays as it is":    {of("new", "new", "Restore", "Processing"), false},
		"MIG-15 an entry of a shoot that was never here, but was there": {of("old", "", "Create", "Succeeded"), true},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMove(t, nothing, tc.entry)
			m.source.Shoot.Spec.SeedName = ptr.To("new")
			if err := m.source.TakeOver(t.Context()); err != nil {
				t.Fatal(err)
			}
			got := &gardencorev1beta1.BackupEntry{}
			if err := m.garden.Get(t.Context(), client.ObjectKeyFromObject(tc.entry), got); err != nil {
				t.Fatal(err)
			}
			last := got.Status.LastOperation
			taken := *got.Spec.SeedName == "new" && got.Status.SeedName == nil && last.Type == "Migrate" && last.State == "Aborted"
			changed := last.State != tc.entry.Status.LastOperation.State || *got.Spec.SeedName != *tc.entry.Spec.SeedName
			if tc.taken && !taken || !tc.taken && changed {
				t.Errorf("it is %+v %+v", got.Spec, got.Status)
			}
		})
	}
}
