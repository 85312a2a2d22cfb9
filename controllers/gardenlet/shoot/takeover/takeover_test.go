package takeover

import (
	"cmp"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

var (
	now      = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	settings = Settings{}.WithDefaults()
)

// shoot moves from the seed earth to the seed mars. began and reported are how long ago; negative for never.
func shoot(began, reported time.Duration, operation gardencorev1beta1.LastOperationType) *gardencorev1beta1.Shoot {
	s := &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-sky", Name: "sun"}, Spec: gardencorev1beta1.ShootSpec{SeedName: ptr.To("mars")}}
	s.Status.SeedName = ptr.To("earth")
	if began >= 0 {
		s.Status.MigrationStartTime = ptr.To(metav1.NewTime(now.Add(-began)))
	}
	if reported >= 0 {
		s.Status.LastOperation = &gardencorev1beta1.LastOperation{Type: operation, State: "Processing", LastUpdateTime: metav1.NewTime(now.Add(-reported))}
	}
	return s
}

func ordered(s *gardencorev1beta1.Shoot) *gardencorev1beta1.Shoot {
	s.Annotations = map[string]string{"shoot.gardener.cloud/force-restore": "true"}
	return s
}

func seed(name string, ready gardencorev1beta1.ConditionStatus) *gardencorev1beta1.Seed {
	return &gardencorev1beta1.Seed{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: gardencorev1beta1.SeedSpec{
			Backup: &gardencorev1beta1.Backup{}, Settings: &gardencorev1beta1.SeedSettings{OwnerChecks: &gardencorev1beta1.SeedSettingOwnerChecks{Enabled: true}},
		},
		Status: gardencorev1beta1.SeedStatus{
			Conditions:    []gardencorev1beta1.Condition{{Type: gardencorev1beta1.SeedGardenletReady, Status: ready}},
			LastOperation: &gardencorev1beta1.LastOperation{State: gardencorev1beta1.LastOperationStateSucceeded},
		},
	}
}

func careless(s *gardencorev1beta1.Seed) *gardencorev1beta1.Seed {
	s = s.DeepCopy()
	s.Spec.Settings = nil
	return s
}

// keeping is a seed whose etcds go on for the last owner that they know.
func keeping(s *gardencorev1beta1.Seed) *gardencorev1beta1.Seed {
	s = s.DeepCopy()
	s.Annotations = map[string]string{helper.AnnotationKeepsOwners: "true"}
	return s
}

func TestReason(t *testing.T) {
	living, dead, here := seed("earth", gardencorev1beta1.ConditionTrue), seed("earth", gardencorev1beta1.ConditionUnknown), seed("mars", gardencorev1beta1.ConditionTrue)
	const long = 24 * time.Hour
	for name, tc := range map[string]struct {
		move
		take bool
	}{
		"MIG-15 an operator orders it":                          {move{ordered(shoot(-1, 0, "Reconcile")), living, here, 0}, true},
		"MIG-15 nothing is taken before the migration began":    {move{shoot(-1, long, "Reconcile"), dead, here, long}, false},
		"MIG-15 nothing is taken within the grace period":       {move{shoot(2*time.Hour-time.Second, long, "Migrate"), dead, here, long}, false},
		"MIG-15 nothing is taken from a seed that reports":      {move{shoot(long, long, "Migrate"), dead, here, 10*time.Minute - time.Second}, false},
		"MIG-15 a seed that is alive and failed keeps a shoot":  {move{shoot(long, long, "Migrate"), living, here, long}, false},
		"MIG-15 a seed that is alive and waits keeps a shoot":   {move{shoot(long, long, "Reconcile"), living, here, long}, false},
		"MIG-15 a seed that is dead loses a shoot":              {move{shoot(2*time.Hour, long, "Reconcile"), dead, here, 10 * time.Minute}, true},
		"MIG-15 also in the middle of the migration":            {move{shoot(2*time.Hour, long, "Migrate"), dead, here, 10 * time.Minute}, true},
		"MIG-15 a seed that does not exist loses a shoot":       {move{shoot(2*time.Hour, long, "Reconcile"), nil, here, 10 * time.Minute}, true},
		"MIG-15 a seed without a report loses a shoot in time":  {move{shoot(2*time.Hour, -1, ""), dead, here, 10 * time.Minute}, true},
		"MIG-15 nothing is taken whose etcd does not ask":       {move{shoot(long, long, "Migrate"), careless(dead), here, long}, false},
		"MIG-15 nothing is taken whose etcd goes on unasked":    {move{shoot(long, long, "Migrate"), keeping(dead), here, long}, false},
		"MIG-15 a seed that keeps owners takes as others do":    {move{shoot(2*time.Hour, long, "Reconcile"), dead, keeping(here), 10 * time.Minute}, true},
		"MIG-15 nothing is taken where no owner is published":   {move{shoot(long, long, "Migrate"), dead, careless(here), long}, false},
		"MIG-15 a seed that does not exist has no etcd, either": {move{shoot(long, long, "Migrate"), nil, careless(here), long}, true},
	} {
		t.Run(name, func(t *testing.T) {
			if reason := settings.reason(tc.move, now); (reason != "") != tc.take {
				t.Errorf("the reason is %q", reason)
			}
		})
	}
}

func TestSilence(t *testing.T) {
	var s silences
	sun := shoot(0, 24*time.Hour, "Migrate") // the landscape was down for a day
	for _, step := range []struct {
		after, want time.Duration
	}{{0, 0}, {5 * time.Minute, 5 * time.Minute}} {
		if got := s.of(sun, nil, now.Add(step.after)); got != step.want {
			t.Errorf("MIG-15 silent for %s, want %s", got, step.want)
		}
	}
	living, dead := seed("earth", gardencorev1beta1.ConditionTrue), seed("earth", gardencorev1beta1.ConditionUnknown)
	if got := s.of(sun, living, now.Add(6*time.Minute)); got != 0 {
		t.Errorf("MIG-15 a seed that lives is silent for %s", got)
	}
	if got := s.of(sun, dead, now.Add(8*time.Minute)); got != 2*time.Minute {
		t.Errorf("MIG-15 silent for %s since it lived", got)
	}
	sun.Status.LastOperation.LastUpdateTime = metav1.NewTime(now.Add(-time.Hour))
	if got := s.of(sun, dead, now.Add(10*time.Minute)); got != 0 {
		t.Errorf("MIG-15 silent for %s after a report", got)
	}
}

func TestReconcile(t *testing.T) {
	elsewhere, arrived, done := ordered(shoot(0, 0, "Migrate")), shoot(0, 0, "Restore"), ordered(shoot(0, 0, "Restore"))
	elsewhere.Spec.SeedName = ptr.To("venus")
	arrived.Status.SeedName, done.Status.SeedName = ptr.To("mars"), ptr.To("mars")
	bucketless, withoutBackups := seed("mars", gardencorev1beta1.ConditionTrue), seed("mars", gardencorev1beta1.ConditionTrue)
	bucketless.Status.Conditions = append(bucketless.Status.Conditions, gardencorev1beta1.Condition{Type: gardencorev1beta1.SeedBackupBucketsReady, Status: gardencorev1beta1.ConditionFalse})
	withoutBackups.Spec.Backup = nil
	ready := seed("mars", gardencorev1beta1.ConditionTrue)
	for name, tc := range map[string]struct {
		shoot     *gardencorev1beta1.Shoot
		mars      *gardencorev1beta1.Seed
		earth     *gardencorev1beta1.Seed // a dead one if nil
		stateless bool
		seen      bool // this gardenlet has seen the operation for a while
		taken     bool
		begun     bool // the begin of the migration is in the status
		order     bool // the annotation stays
		again     bool // it is looked at again
	}{
		"MIG-15 an order is obeyed and forgotten":                  {shoot: ordered(shoot(-1, 0, "Reconcile")), mars: ready, taken: true, begun: true},
		"MIG-15 the begin of a migration is noted":                 {shoot: shoot(-1, 0, "Reconcile"), mars: ready, begun: true, again: true},
		"MIG-15 a shoot is taken when it is time":                  {shoot: shoot(2*time.Hour, 10*time.Minute, "Migrate"), mars: ready, seen: true, taken: true, begun: true},
		"MIG-15 a gardenlet that has just started waits":           {shoot: shoot(2*time.Hour, 10*time.Minute, "Migrate"), mars: ready, begun: true, again: true},
		"MIG-15 an order does not split a shoot that lives":        {shoot: ordered(shoot(-1, 0, "Reconcile")), mars: ready, earth: careless(seed("earth", gardencorev1beta1.ConditionTrue)), order: true, again: true},
		"MIG-15 an order takes it from such a seed that is dead":   {shoot: ordered(shoot(-1, 0, "Reconcile")), mars: ready, earth: careless(seed("earth", gardencorev1beta1.ConditionUnknown)), taken: true, begun: true},
		"MIG-15 before that it stays":                              {shoot: shoot(time.Hour, 10*time.Minute, "Migrate"), mars: ready, begun: true, again: true},
		"MIG-15 a seed that is not ready takes nothing":            {shoot: ordered(shoot(-1, 0, "Reconcile")), mars: seed("mars", gardencorev1beta1.ConditionFalse), order: true, again: true},
		"MIG-15 a seed whose bucket is not ready takes nothing":    {shoot: ordered(shoot(-1, 0, "Reconcile")), mars: bucketless, order: true, again: true},
		"MIG-15 a seed without backups takes nothing":              {shoot: ordered(shoot(-1, 0, "Reconcile")), mars: withoutBackups, order: true, again: true},
		"MIG-15 a shoot without a saved state is not taken":        {shoot: ordered(shoot(-1, 0, "Reconcile")), mars: ready, stateless: true, order: true, again: true},
		"MIG-15 a shoot that moves to another seed is not taken":   {shoot: elsewhere, mars: ready, begun: true, order: true},
		"MIG-15 a shoot that is here stays as it is":               {shoot: arrived, mars: ready, begun: true},
		"MIG-15 an order that came too late is no order for later": {shoot: done, mars: ready, begun: true},
	} {
		t.Run(name, func(t *testing.T) {
			scheme := runtime.NewScheme()
			if err := gardencorev1beta1.AddToScheme(scheme); err != nil {
				t.Fatal(err)
			}
			before := tc.shoot.DeepCopy()
			objects := []client.Object{before, tc.mars.DeepCopy(), cmp.Or(tc.earth, seed("earth", gardencorev1beta1.ConditionUnknown))}
			if !tc.stateless {
				objects = append(objects, &gardencorev1beta1.ShootState{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-sky", Name: "sun"}})
			}
			garden := fake.NewClientBuilder().WithScheme(scheme).WithStatusSubresource(before).WithObjects(objects...).Build()
			r := &Reconciler{
				Garden: garden, GardenReader: garden, Recorder: events.NewFakeRecorder(10), Clock: clocktesting.NewFakePassiveClock(now),
				SeedName: "mars", Settings: settings,
			}
			if tc.seen {
				r.silences.of(before, tc.earth, now.Add(-settings.Stale))
			}
			key := client.ObjectKeyFromObject(before)
			result, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: key})
			if err != nil || (result.RequeueAfter > 0) != tc.again {
				t.Errorf("looks again after %s, %v", result.RequeueAfter, err)
			}
			after := &gardencorev1beta1.Shoot{}
			if err := garden.Get(t.Context(), key, after); err != nil {
				t.Fatal(err)
			}
			last := after.Status.LastOperation
			if taken := after.Status.SeedName == nil && last.Type == "Migrate" && last.State == "Aborted"; taken != tc.taken || !taken && last.State == "Aborted" {
				t.Errorf("seed %v, last operation %+v", after.Status.SeedName, last)
			}
			if got := after.Status.MigrationStartTime != nil; got != tc.begun {
				t.Errorf("the begin is %v", after.Status.MigrationStartTime)
			}
			if forced(after) != tc.order {
				t.Errorf("annotations %v", after.Annotations)
			}
		})
	}
}

func TestConcerned(t *testing.T) {
	r := &Reconciler{SeedName: "mars"}
	here, moving := shoot(0, 0, "Reconcile"), shoot(0, 0, "Reconcile")
	here.Spec.SeedName = ptr.To("earth")
	progress := shoot(0, time.Minute, "Migrate")
	for name, tc := range map[string]struct {
		before, after *gardencorev1beta1.Shoot
		want          bool
	}{
		"MIG-15 a shoot that begins to move is looked at":      {here, moving, true},
		"MIG-15 an order is looked at":                         {moving, ordered(moving.DeepCopy()), true},
		"MIG-15 progress of the other seed is not":             {moving, progress, false},
		"MIG-15 an order for a shoot of another seed is not":   {here, ordered(here.DeepCopy()), false},
		"MIG-15 a shoot that turns to another seed is not":     {moving, here, false},
		"MIG-15 an order that has been there before is a move": {ordered(here.DeepCopy()), ordered(moving.DeepCopy()), true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := r.concerned().Update(event.UpdateEvent{ObjectOld: tc.before, ObjectNew: tc.after}); got != tc.want {
				t.Errorf("looked at: %t", got)
			}
		})
	}
}
