package maintenance_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/controllermanager/shoot/maintenance"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestTiming(t *testing.T) {
	inWindow := gardencorev1beta1.MaintenanceTimeWindow{Begin: "113000+0000", End: "123000+0000"} // now is 12:00
	later := gardencorev1beta1.MaintenanceTimeWindow{Begin: "220000+0100", End: "230000+0100"}
	succeeded := &gardencorev1beta1.LastOperation{Type: gardencorev1beta1.LastOperationTypeCreate, State: gardencorev1beta1.LastOperationStateSucceeded}
	processing := &gardencorev1beta1.LastOperation{Type: gardencorev1beta1.LastOperationTypeCreate, State: gardencorev1beta1.LastOperationStateProcessing}
	done := func(ago time.Duration, description string) *gardencorev1beta1.LastMaintenance {
		return &gardencorev1beta1.LastMaintenance{TriggeredTime: metav1.NewTime(now.Add(-ago)), Description: description}
	}
	const next = 23*time.Hour + 30*time.Minute
	for name, tc := range map[string]struct {
		window gardencorev1beta1.MaintenanceTimeWindow
		last   *gardencorev1beta1.LastOperation
		done   *gardencorev1beta1.LastMaintenance
		asked  bool
		want   maintenance.Timing
	}{
		"GCM-33 in the window it is time":               {inWindow, succeeded, nil, false, maintenance.Timing{Due: true, Wait: next}},
		"GCM-33 before, there is time to wait":          {later, succeeded, nil, false, maintenance.Timing{Wait: 9 * time.Hour}},
		"GLT-38 a user who asks need not wait":          {later, succeeded, nil, true, maintenance.Timing{Due: true, Wait: 9 * time.Hour}},
		"GCM-33 the window of yesterday does not count": {inWindow, succeeded, done(20*time.Hour, "x"), false, maintenance.Timing{Due: true, Wait: next}},
		"GCM-33 one window, one maintenance":            {inWindow, succeeded, done(20*time.Minute, "x"), false, maintenance.Timing{Wait: next}},
		"GCM-33 but new versions are looked for":        {inWindow, succeeded, done(20*time.Minute, "All versions are up to date."), false, maintenance.Timing{Late: true, Wait: next}},
		"GCM-33 a cluster is made before":               {inWindow, processing, nil, false, maintenance.Timing{Wait: next}},
	} {
		t.Run(name, func(t *testing.T) {
			shoot := shootWith("1.35.1", "1.0.0", true)
			shoot.Spec.Maintenance.TimeWindow, shoot.Status.LastOperation, shoot.Status.LastMaintenance = &tc.window, tc.last, tc.done
			if tc.asked {
				shoot.Annotations["gardener.cloud/operation"] = "maintain"
			}
			got, err := maintenance.TimingOf(shoot, now)
			if diff := cmp.Diff(tc.want, got); diff != "" || err != nil {
				t.Errorf("timing (-want +got):\n%s\n%v", diff, err)
			}
		})
	}
}

func TestRotateSSHKey(t *testing.T) {
	const operation = "gardener.cloud/operation"
	for name, tc := range map[string]struct {
		asked, later string // in place of maintenance, and of the user for this window
		change       func(*gardencorev1beta1.Shoot)
		want         string
	}{
		"BST-11 the key rotates in every window":         {want: "rotate-ssh-keypair"},
		"BST-11 a rotation of all credentials has it":    {later: "rotate-credentials-start", want: "rotate-credentials-start"},
		"BST-11 another rotation starts beside it":       {later: "rotate-ca-start", want: "rotate-ca-start;rotate-ssh-keypair"},
		"BST-11 one that the user has asked for is one":  {later: "rotate-ssh-keypair", want: "rotate-ssh-keypair"},
		"BST-11 what waits for the window is rolled out": {later: "reconcile", want: "rotate-ssh-keypair"},
		"BST-11 what is asked for now goes first":        {asked: "rotate-ca-start", want: "rotate-ca-start"},
		"BST-11 a shoot that sleeps keeps its key": {change: func(s *gardencorev1beta1.Shoot) {
			s.Spec.Hibernation = &gardencorev1beta1.Hibernation{Enabled: ptr.To(true)}
		}},
		"BST-11 a shoot without SSH has none": {change: func(s *gardencorev1beta1.Shoot) {
			s.Spec.Provider.WorkersSettings = &gardencorev1beta1.WorkersSettings{SSHAccess: &gardencorev1beta1.SSHAccess{}}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			shoot := shootWith("1.35.1", "1.0.0", true)
			for key, value := range map[string]string{operation: tc.asked, "maintenance.gardener.cloud/operation": tc.later} {
				if value != "" {
					shoot.Annotations[key] = value
				}
			}
			if tc.change != nil {
				tc.change(shoot)
			}
			plan := maintenance.PlanFor(shoot, &gardencorev1beta1.CloudProfileSpec{}, now)
			plan.RotateSSHKey()
			if got := plan.Shoot.Annotations[operation]; got != tc.want {
				t.Errorf("operation is %q, want %q", got, tc.want)
			}
		})
	}
}

func TestOperation(t *testing.T) {
	const operation, inWindow, needsRetry = "gardener.cloud/operation", "maintenance.gardener.cloud/operation", "maintenance.shoot.gardener.cloud/needs-retry-operation"
	failed := &gardencorev1beta1.LastOperation{Type: gardencorev1beta1.LastOperationTypeReconcile, State: gardencorev1beta1.LastOperationStateFailed}
	for name, tc := range map[string]struct {
		annotations map[string]string
		last        *gardencorev1beta1.LastOperation
		change      func(*gardencorev1beta1.Shoot)
		want        map[string]string
	}{
		"GLT-38 maintain is taken up":                     {map[string]string{operation: "maintain"}, nil, nil, map[string]string{}},
		"GCM-33 what was put off is started":              {map[string]string{inWindow: "rotate-ca-start"}, nil, nil, map[string]string{operation: "rotate-ca-start"}},
		"GCM-33 but replaces nothing":                     {map[string]string{inWindow: "reconcile", operation: "rotate-ca-start"}, nil, nil, map[string]string{inWindow: "reconcile", operation: "rotate-ca-start"}},
		"GCM-33 a failed cluster that changed is retried": {map[string]string{needsRetry: "true"}, failed, nil, map[string]string{operation: "retry"}},
		"GCM-33 one that has not failed is not":           {map[string]string{needsRetry: "true"}, nil, nil, map[string]string{}},
		"GCM-33 what waits for the window is rolled out": {nil, nil, func(s *gardencorev1beta1.Shoot) {
			s.Spec.Maintenance.ConfineSpecUpdateRollout = ptr.To(true)
		}, map[string]string{operation: "reconcile"}},
		"GCM-33 keys are rotated when they are old": {nil, nil, func(s *gardencorev1beta1.Shoot) {
			s.Spec.Maintenance.AutoRotation = &gardencorev1beta1.MaintenanceAutoRotation{Credentials: &gardencorev1beta1.MaintenanceCredentialsAutoRotation{
				SSHKeypair: &gardencorev1beta1.MaintenanceRotationConfig{}, Observability: &gardencorev1beta1.MaintenanceRotationConfig{RotationPeriod: &metav1.Duration{Duration: time.Hour}},
				ETCDEncryptionKey: &gardencorev1beta1.MaintenanceRotationConfig{RotationPeriod: &metav1.Duration{}},
			}}
		}, map[string]string{operation: "rotate-ssh-keypair;rotate-observability-credentials"}},
		"GCM-33 and not before": {nil, nil, func(s *gardencorev1beta1.Shoot) {
			s.Spec.Maintenance.AutoRotation = &gardencorev1beta1.MaintenanceAutoRotation{Credentials: &gardencorev1beta1.MaintenanceCredentialsAutoRotation{SSHKeypair: &gardencorev1beta1.MaintenanceRotationConfig{}}}
			s.Status.Credentials = &gardencorev1beta1.ShootCredentials{Rotation: &gardencorev1beta1.ShootCredentialsRotation{
				SSHKeypair: &gardencorev1beta1.ShootSSHKeypairRotation{LastInitiationTime: ptr.To(metav1.NewTime(now.Add(-time.Hour)))},
			}}
		}, map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			shoot := shootWith("1.35.1", "1.0.0", true)
			for key, value := range tc.annotations {
				shoot.Annotations[key] = value
			}
			shoot.Status.LastOperation = tc.last
			if tc.change != nil {
				tc.change(shoot)
			}
			profile := &gardencorev1beta1.CloudProfileSpec{Kubernetes: gardencorev1beta1.KubernetesSettings{Versions: []version{good("1.35.1")}}}
			if diff := cmp.Diff(tc.want, maintenance.PlanFor(shoot, profile, now).Shoot.Annotations); diff != "" {
				t.Errorf("annotations (-want +got):\n%s", diff)
			}
		})
	}
}
