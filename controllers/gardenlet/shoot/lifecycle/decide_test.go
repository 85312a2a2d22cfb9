package lifecycle

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/internal/flow"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

const version = "v1"

var now = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)

type change func(*gardencorev1beta1.Shoot)

// settled is a Shoot whose last operation succeeded ten minutes ago.
func settled(changes ...change) *gardencorev1beta1.Shoot {
	shoot := &gardencorev1beta1.Shoot{
		ObjectMeta: metav1.ObjectMeta{Name: "sun", Namespace: "garden-sky", Generation: 3, Annotations: map[string]string{}},
		Spec:       gardencorev1beta1.ShootSpec{SeedName: ptr.To("earth")},
		Status: gardencorev1beta1.ShootStatus{
			SeedName: ptr.To("earth"), ObservedGeneration: 3, Gardener: gardencorev1beta1.Gardener{Version: version},
			LastOperation: &gardencorev1beta1.LastOperation{
				Type: gardencorev1beta1.LastOperationTypeReconcile, State: gardencorev1beta1.LastOperationStateSucceeded,
				LastUpdateTime: metav1.NewTime(now.Add(-10 * time.Minute)),
			},
		},
	}
	for _, f := range changes {
		f(shoot)
	}
	return shoot
}

func lastOperation(kind gardencorev1beta1.LastOperationType, state gardencorev1beta1.LastOperationState) change {
	return func(s *gardencorev1beta1.Shoot) {
		s.Status.LastOperation.Type, s.Status.LastOperation.State = kind, state
	}
}

func rotating(s *gardencorev1beta1.Shoot) {
	s.Status.Credentials = &gardencorev1beta1.ShootCredentials{Rotation: &gardencorev1beta1.ShootCredentialsRotation{
		ETCDEncryptionKey: &gardencorev1beta1.ETCDEncryptionKeyRotation{Phase: gardencorev1beta1.RotationCompleting},
	}}
}
func deleting(s *gardencorev1beta1.Shoot) { s.DeletionTimestamp = &metav1.Time{Time: now} }
func fresh(s *gardencorev1beta1.Shoot)    { s.Status = gardencorev1beta1.ShootStatus{} }

// moving is assigned to another seed, between has left its seed.
func moving(s *gardencorev1beta1.Shoot)  { s.Spec.SeedName = ptr.To("mars") }
func between(s *gardencorev1beta1.Shoot) { s.Spec.SeedName, s.Status.SeedName = ptr.To("mars"), nil }

func known(s *gardencorev1beta1.Shoot) { s.Status.UID = "uid" }

func upgraded(s *gardencorev1beta1.Shoot) { s.Status.Gardener.Version = "v0" }

func window(begin, end string) change {
	return func(s *gardencorev1beta1.Shoot) {
		s.Spec.Maintenance = &gardencorev1beta1.Maintenance{TimeWindow: &gardencorev1beta1.MaintenanceTimeWindow{Begin: begin, End: end}}
	}
}

func annotated(key, value string) change {
	return func(s *gardencorev1beta1.Shoot) { s.Annotations[key] = value }
}

func TestResponsibleSeed(t *testing.T) {
	for name, tc := range map[string]struct {
		spec, status *string
		want         string
		moving       bool
	}{
		"GLT-42 a Shoot without a seed belongs to no gardenlet": {},
		"GLT-42 a Shoot is its seed's":                          {spec: ptr.To("a"), want: "a"},
		"GLT-43 the seed that holds the control plane is first": {spec: ptr.To("b"), status: ptr.To("a"), want: "a", moving: true},
		"GLT-43 a Shoot that stays where it is does not move":   {spec: ptr.To("a"), status: ptr.To("a"), want: "a"},
	} {
		t.Run(name, func(t *testing.T) {
			shoot := settled(func(s *gardencorev1beta1.Shoot) { s.Spec.SeedName, s.Status.SeedName = tc.spec, tc.status })
			if got := helper.ResponsibleSeed(shoot); got != tc.want || Moving(shoot) != tc.moving {
				t.Errorf("seed %q, moving %v; want %q, %v", got, Moving(shoot), tc.want, tc.moving)
			}
		})
	}
}

func TestOperationType(t *testing.T) {
	for name, tc := range map[string]struct {
		shoot *gardencorev1beta1.Shoot
		want  gardencorev1beta1.LastOperationType
	}{
		"the first run creates":                           {settled(fresh), "Create"},
		"a creation that failed goes on as one":           {settled(lastOperation("Create", "Error")), "Create"},
		"a creation that was cut off goes on":             {settled(lastOperation("Create", "Processing")), "Create"},
		"after a creation follow reconciliations":         {settled(lastOperation("Create", "Succeeded")), "Reconcile"},
		"a reconciliation that failed is repeated":        {settled(lastOperation("Reconcile", "Failed")), "Reconcile"},
		"what is deleted is deleted":                      {settled(deleting), "Delete"},
		"also in the middle of its creation":              {settled(deleting, lastOperation("Create", "Processing")), "Delete"},
		"MIG-1 another seed makes a migration":            {settled(moving), "Migrate"},
		"MIG-1 also after a failed attempt":               {settled(moving, lastOperation("Migrate", "Error")), "Migrate"},
		"MIG-4 what was migrated is restored":             {settled(between, lastOperation("Migrate", "Succeeded")), "Restore"},
		"MIG-15 a late report of the former seed is none": {settled(between, known, lastOperation("Reconcile", "Succeeded")), "Restore"},
		"MIG-15 nor is a late failure":                    {settled(between, known, lastOperation("Migrate", "Error")), "Restore"},
		"MIG-4 a restoration is finished":                 {settled(lastOperation("Restore", "Error")), "Restore"},
		"MIG-4 also one that is deleted":                  {settled(deleting, lastOperation("Restore", "Processing")), "Restore"},
		"MIG-4 after it follow reconciliations":           {settled(lastOperation("Restore", "Succeeded")), "Reconcile"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := OperationType(tc.shoot); got != tc.want {
				t.Errorf("operation is %s, want %s", got, tc.want)
			}
		})
	}
}

// confined makes changes of a Shoot wait for its window.
func confined(s *gardencorev1beta1.Shoot) {
	if s.Spec.Maintenance == nil {
		s.Spec.Maintenance = &gardencorev1beta1.Maintenance{}
	}
	s.Spec.Maintenance.ConfineSpecUpdateRollout = ptr.To(true)
}

// long lets the last operation be longer ago than the sync period.
func long(s *gardencorev1beta1.Shoot) {
	s.Status.LastOperation.LastUpdateTime = metav1.NewTime(now.Add(-5 * time.Hour))
}

func TestNextRun(t *testing.T) {
	for name, tc := range map[string]struct {
		shoot *gardencorev1beta1.Shoot
		want  time.Duration
	}{
		"MIG-1 a Shoot with another seed is due":                                {settled(moving), 0},
		"MIG-4 a Shoot between two seeds is due":                                {settled(between, lastOperation("Migrate", "Succeeded")), 0},
		"a new Shoot is due":                                                    {settled(fresh), 0},
		"GLT-36 an operation that was cut off is due":                           {settled(lastOperation("Reconcile", "Processing")), 0},
		"GLT-36 an operation that failed is due":                                {settled(lastOperation("Reconcile", "Error")), 0},
		"a changed Shoot is due":                                                {settled(func(s *gardencorev1beta1.Shoot) { s.Generation++ }), 0},
		"APP-6 a Shoot without a window is due for another version of Gardener": {settled(upgraded), 0},
		"APP-6 another version of Gardener waits for the window":                {settled(upgraded, window("150000+0100", "160000+0100")), 2 * time.Hour},
		"APP-6 also after the sync period": {
			settled(upgraded, window("150000+0100", "160000+0100"), func(s *gardencorev1beta1.Shoot) {
				s.Status.LastOperation.LastUpdateTime = metav1.NewTime(now.Add(-5 * time.Hour))
			}), 2 * time.Hour,
		},
		"APP-6 in the window it is due":         {settled(upgraded, window("113000+0000", "123000+0000")), 0},
		"APP-6 after the window it waits a day": {settled(upgraded, window("100000+0000", "110000+0000")), 22 * time.Hour},
		"APP-6 on request it does not wait": {
			settled(upgraded, window("100000+0000", "110000+0000"), annotated("gardener.cloud/operation", "reconcile")), 0,
		},
		"APP-6 a changed Shoot does not wait": {
			settled(upgraded, window("100000+0000", "110000+0000"), func(s *gardencorev1beta1.Shoot) { s.Generation++ }), 0,
		},
		"the window means nothing to the same version":       {settled(window("113000+0000", "123000+0000")), 50 * time.Minute},
		"GLT-38 a Shoot with an operation annotation is due": {settled(annotated("gardener.cloud/operation", "reconcile")), 0},
		"GLT-38 maintenance is left to the controller manager": {
			settled(annotated("gardener.cloud/operation", "maintain")), 50 * time.Minute,
		},
		"GLT-38 changes that wait for the window are not made by the sync period": {
			settled(window("150000+0100", "160000+0100"), confined, long), 2 * time.Hour,
		},
		"GLT-38 in the window they are":                  {settled(window("113000+0000", "123000+0000"), confined, long), 0},
		"GLT-38 on request they are":                     {settled(window("150000+0100", "160000+0100"), confined, long, annotated("gardener.cloud/operation", "reconcile")), 0},
		"GLT-38 a Shoot without a window does not wait":  {settled(confined, long), 0},
		"CAR-14 a rotation does not wait for the window": {settled(window("150000+0100", "160000+0100"), confined, long, rotating), 0},
		"a Shoot that is deleted is due":                 {settled(deleting), 0},
		"any other waits for the sync period":            {settled(), 50 * time.Minute},
		"a Shoot may ask for a longer one":               {settled(annotated("shoot.gardener.cloud/sync-period", "2h")), 110 * time.Minute},
		"CAR-14 a rotation that is not finished is due":  {settled(rotating), 0},
		"CAR-14 it waits while the Shoot sleeps": {settled(rotating, func(s *gardencorev1beta1.Shoot) {
			s.Spec.Hibernation = &gardencorev1beta1.Hibernation{Enabled: ptr.To(true)}
		}), 50 * time.Minute},
		"but not for a shorter one": {settled(annotated("shoot.gardener.cloud/sync-period", "1m")), 50 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			if got := NextRun(tc.shoot, version, time.Hour, now); got != tc.want {
				t.Errorf("next run in %s, want %s", got, tc.want)
			}
		})
	}
}

func TestGivenUp(t *testing.T) {
	failed := lastOperation("Reconcile", "Failed")
	for name, tc := range map[string]struct {
		shoot *gardencorev1beta1.Shoot
		want  bool
	}{
		"a Shoot that failed for good stays so":    {settled(failed), true},
		"until it changes":                         {settled(failed, func(s *gardencorev1beta1.Shoot) { s.Generation++ }), false},
		"or Gardener does":                         {settled(failed, func(s *gardencorev1beta1.Shoot) { s.Status.Gardener.Version = "v0" }), false},
		"or it is deleted":                         {settled(failed, deleting), false},
		"a deletion that failed for good stays so": {settled(lastOperation("Delete", "Failed"), deleting), true},
		"an error that is retried is none":         {settled(lastOperation("Reconcile", "Error")), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := GivenUp(tc.shoot, version); got != tc.want {
				t.Errorf("given up: %v, want %v", got, tc.want)
			}
		})
	}
}

func TestIgnored(t *testing.T) {
	mine := settled(annotated("shoot.gardener.cloud/ignore", "true"))
	operators := settled(annotated("shoot.gardener.cloud/ignore", "true"), func(s *gardencorev1beta1.Shoot) { s.Namespace = "garden" })
	if Ignored(mine, false) || !Ignored(mine, true) || !Ignored(operators, false) || Ignored(settled(), true) {
		t.Error("only operators, or users where that is allowed, have Shoots left alone")
	}
}

func TestFail(t *testing.T) {
	boom := errors.New("boom")
	tasks := &flow.Errors{Flow: "f", Tasks: []*flow.TaskError{
		{Task: "a", Err: boom}, {Task: "b", Err: contract.WithCodes(boom, gardencorev1beta1.ErrorInfraResourcesDepleted)},
	}}
	began := metav1.NewTime(now.Add(-time.Hour))
	t.Run("GLT-36 every task that failed is an error with its codes", func(t *testing.T) {
		got := Fail(tasks, &began, 12*time.Hour, now)
		stamp := metav1.NewTime(now)
		want := Failure{
			State: gardencorev1beta1.LastOperationStateError,
			Errors: []gardencorev1beta1.LastError{
				{TaskID: ptr.To("a"), Description: `task "a" failed: boom`, LastUpdateTime: &stamp},
				{TaskID: ptr.To("b"), Description: `task "b" failed: boom`, LastUpdateTime: &stamp, Codes: []gardencorev1beta1.ErrorCode{"ERR_INFRA_RESOURCES_DEPLETED"}},
			},
			Description: `task "a" failed: boom; task "b" failed: boom Operation will be retried.`,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("failure (-want +got):\n%s", diff)
		}
	})
	t.Run("EXT-17 a webhook that does not answer is named, and the operation is retried", func(t *testing.T) {
		refused := apierrors.NewInternalError(errors.New(`failed calling webhook "controlplane.local.extensions.gardener.cloud": connection refused`))
		got := Fail(&flow.Errors{Tasks: []*flow.TaskError{{Task: "a", Err: fmt.Errorf("apply Deployment: %w", refused)}}}, &began, 12*time.Hour, now)
		if got.State != gardencorev1beta1.LastOperationStateError || len(got.Errors) != 1 || len(got.Errors[0].Codes) > 0 || !strings.Contains(got.Errors[0].Description, `"controlplane.local.extensions.gardener.cloud"`) {
			t.Errorf("failure %+v", got)
		}
	})
	for name, tc := range map[string]struct {
		err   error
		began time.Time
		want  gardencorev1beta1.LastOperationState
	}{
		"GLT-36 an error is retried":                    {boom, now.Add(-11 * time.Hour), "Error"},
		"GLT-36 not for longer than the retry duration": {boom, now.Add(-12 * time.Hour), "Failed"},
		"GLT-37 not if only the user can help":          {contract.WithCodes(boom, gardencorev1beta1.ErrorConfigurationProblem), now, "Failed"},
		"GLT-37 a code that may heal is retried":        {contract.WithCodes(boom, gardencorev1beta1.ErrorRetryableConfigurationProblem), now, "Error"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Fail(tc.err, &metav1.Time{Time: tc.began}, 12*time.Hour, now); got.State != tc.want {
				t.Errorf("state is %s, want %s", got.State, tc.want)
			}
		})
	}
}

func TestHealth(t *testing.T) {
	with := func(statuses ...gardencorev1beta1.ConditionStatus) change {
		return func(s *gardencorev1beta1.Shoot) {
			for _, status := range statuses {
				s.Status.Conditions = append(s.Status.Conditions, gardencorev1beta1.Condition{Status: status})
			}
		}
	}
	for name, tc := range map[string]struct {
		shoot *gardencorev1beta1.Shoot
		want  string
	}{
		"a new Shoot is where it should be":          {settled(fresh), "healthy"},
		"so is one that is being created":            {settled(lastOperation("Create", "Processing"), with("False")), "healthy"},
		"a creation with errors is not":              {settled(lastOperation("Create", "Error")), "unhealthy"},
		"a Shoot is as good as its conditions":       {settled(with("True", "True")), "healthy"},
		"and as bad as the worst of them":            {settled(with("True", "Progressing", "Unknown")), "unknown"},
		"a condition that progresses does not alarm": {settled(with("Progressing", "True")), "progressing"},
		"a condition that is False does":             {settled(with("False", "Unknown")), "unhealthy"},
		"so does an operation that failed":           {settled(lastOperation("Reconcile", "Failed"), with("True")), "unhealthy"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Health(&tc.shoot.Status); got != tc.want {
				t.Errorf("health is %q, want %q", got, tc.want)
			}
		})
	}
}
