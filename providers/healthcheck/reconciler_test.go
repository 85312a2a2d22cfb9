package healthcheck

import (
	"context"
	"errors"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	"github.com/gardener-up/gardener-up/providers/contract"
)

const (
	space = "shoot--p--s"
	kind  = gardencorev1beta1.ConditionType("SystemComponentsHealthy")
)

var errBoom = errors.New("boom")

// made is a Network whose last operation has this type and state.
func made(operation gardencorev1beta1.LastOperationType, state gardencorev1beta1.LastOperationState) *extensionsv1alpha1.Network {
	n := &extensionsv1alpha1.Network{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "s"}, Spec: extensionsv1alpha1.NetworkSpec{DefaultSpec: extensionsv1alpha1.DefaultSpec{Type: "ours"}}}
	if operation != "" {
		n.Status.LastOperation = &gardencorev1beta1.LastOperation{Type: operation, State: state}
	}
	return n
}

// subject is a Reconciler with one Network.
type subject struct {
	*Reconciler[*extensionsv1alpha1.Network, extensionsv1alpha1.Network]
	now     time.Time
	finding Finding
	err     error
	checks  int
	writes  int
	fail    error // of the next write
}

func newSubject(t *testing.T, objects ...client.Object) *subject {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		t.Fatal(err)
	}
	s := &subject{now: time.Unix(5000, 0), finding: Finding{Status: "True", Reason: "Good", Message: "all is well"}}
	c := fake.NewClientBuilder().WithScheme(scheme).WithStatusSubresource(&extensionsv1alpha1.Network{}).WithObjects(objects...).WithInterceptorFuncs(interceptor.Funcs{
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, object client.Object, patch client.Patch, options ...client.SubResourcePatchOption) error {
			s.writes++
			if err := s.fail; err != nil {
				s.fail = nil
				return err
			}
			return c.SubResource(sub).Patch(ctx, object, patch, options...)
		},
	}).Build()
	s.Reconciler = &Reconciler[*extensionsv1alpha1.Network, extensionsv1alpha1.Network]{
		Client: c, Reader: c, Clock: func() time.Time { return s.now },
		Options: Options[*extensionsv1alpha1.Network]{Types: []string{"ours"}, Condition: kind, Period: 30 * time.Second, Check: func(_ context.Context, _ *contract.Cluster, n *extensionsv1alpha1.Network) (Finding, error) {
			s.checks++
			n.Status.ProviderStatus = &runtime.RawExtension{Raw: []byte(`{"measured":true}`)}
			return s.finding, s.err
		}},
	}
	return s
}

// look reconciles and returns the pause that follows and the condition, nil if there is none.
func (s *subject) look(t *testing.T) (time.Duration, *gardencorev1beta1.Condition) {
	t.Helper()
	result, err := s.Reconcile(t.Context(), ctrlreconcile.Request{NamespacedName: client.ObjectKey{Namespace: space, Name: "s"}})
	if err != nil {
		t.Fatal(err)
	}
	n := &extensionsv1alpha1.Network{}
	if err := s.Client.Get(t.Context(), client.ObjectKey{Namespace: space, Name: "s"}, n); err != nil {
		t.Fatal(err)
	}
	return result.RequeueAfter, find(n.Status.Conditions, kind)
}

func TestWhatIsChecked(t *testing.T) {
	other := made("Reconcile", "Succeeded")
	other.Spec.Type = "theirs"
	going := made("Reconcile", "Succeeded")
	going.Finalizers, going.DeletionTimestamp = []string{"a/b"}, &metav1.Time{Time: time.Unix(1, 0)}
	asleep := &extensionsv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: space}, Spec: extensionsv1alpha1.ClusterSpec{Shoot: runtime.RawExtension{Raw: []byte(`{"spec":{"hibernation":{"enabled":true}}}`)}}}
	for name, tc := range map[string]struct {
		objects []client.Object
		checked bool
		again   bool
	}{
		"NWX-4 what was made":                          {[]client.Object{made("Create", "Succeeded")}, true, true},
		"NWX-4 what came from another seed":            {[]client.Object{made("Restore", "Succeeded")}, true, true},
		"NWX-4 what is made again":                     {[]client.Object{made("Reconcile", "Processing")}, true, true},
		"NWX-4 what could not be changed":              {[]client.Object{made("Reconcile", "Error")}, true, true},
		"NWX-4 not what nobody has made yet":           {[]client.Object{made("", "")}, false, false},
		"NWX-4 not what is being made":                 {[]client.Object{made("Create", "Processing")}, false, false},
		"NWX-4 not what could not be made":             {[]client.Object{made("Create", "Error")}, false, false},
		"NWX-4 not what is being restored":             {[]client.Object{made("Restore", "Processing")}, false, false},
		"NWX-4 not what has moved to another seed":     {[]client.Object{made("Migrate", "Succeeded")}, false, false},
		"NWX-4 not what goes":                          {[]client.Object{going}, false, false},
		"NWX-4 not the objects of other providers":     {[]client.Object{other}, false, false},
		"NWX-4 not in a shoot that sleeps, until then": {[]client.Object{made("Reconcile", "Succeeded"), asleep}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSubject(t, tc.objects...)
			pause, condition := s.look(t)
			if (s.checks == 1) != tc.checked || (condition != nil) != tc.checked || (pause > 0) != tc.again {
				t.Errorf("%d checks, condition %+v, looks again after %v", s.checks, condition, pause)
			}
		})
	}
}

func TestCondition(t *testing.T) {
	n := made("Reconcile", "Succeeded")
	n.Status.Conditions = []gardencorev1beta1.Condition{{Type: "Other", Status: "False"}}
	s := newSubject(t, n)
	begin := s.now
	step := func(name string, after time.Duration, f Finding, err error, check func(*testing.T, time.Duration, *gardencorev1beta1.Condition)) {
		t.Run(name, func(t *testing.T) {
			s.now, s.finding, s.err, s.writes = begin.Add(after), f, err, 0
			pause, condition := s.look(t)
			if condition == nil {
				t.Fatal("there is no condition")
			}
			check(t, pause, condition)
		})
	}
	good, bad := Finding{Status: "True", Reason: "Good", Message: "all is well"}, Finding{Status: "False", Reason: "Bad", Message: "broken", Codes: []gardencorev1beta1.ErrorCode{"ERR_CONFIGURATION_PROBLEM"}}
	step("NWX-4 a good finding is written", 0, good, nil, func(t *testing.T, pause time.Duration, c *gardencorev1beta1.Condition) {
		if c.Status != "True" || c.Reason != "Good" || c.Message != "all is well" || pause != 30*time.Second {
			t.Errorf("condition %+v, looks again after %v", c, pause)
		}
	})
	step("NWX-4 the same is not written again at once", 30*time.Second, good, nil, func(t *testing.T, _ time.Duration, c *gardencorev1beta1.Condition) {
		if s.writes != 0 || !c.LastUpdateTime.Time.Equal(begin) {
			t.Errorf("%d writes, condition %+v", s.writes, c)
		}
	})
	step("NWX-4 it is, before Gardener takes it for outdated", heartbeat, good, nil, func(t *testing.T, _ time.Duration, c *gardencorev1beta1.Condition) {
		if s.writes != 1 || !c.LastUpdateTime.Time.Equal(s.now) || !c.LastTransitionTime.Time.Equal(begin) {
			t.Errorf("%d writes, condition %+v", s.writes, c)
		}
	})
	step("NWX-4 a bad finding is written and looked at soon", 2*heartbeat, bad, nil, func(t *testing.T, pause time.Duration, c *gardencorev1beta1.Condition) {
		if c.Status != "False" || c.Message != "broken" || len(c.Codes) != 1 || !c.LastTransitionTime.Time.Equal(s.now) || pause != soon {
			t.Errorf("condition %+v, looks again after %v", c, pause)
		}
	})
	step("NWX-4 a lasting one is looked at as usual", 4*heartbeat, bad, nil, func(t *testing.T, pause time.Duration, _ *gardencorev1beta1.Condition) {
		if pause != 30*time.Second {
			t.Errorf("looks again after %v", pause)
		}
	})
	step("NWX-4 nothing is claimed where nobody could look", 5*heartbeat, good, errBoom, func(t *testing.T, _ time.Duration, c *gardencorev1beta1.Condition) {
		if c.Status != "Unknown" || c.Message != "The health is unknown: boom" {
			t.Errorf("condition %+v", c)
		}
	})
	if err := s.Client.Get(t.Context(), client.ObjectKeyFromObject(n), n); err != nil {
		t.Fatal(err)
	}
	if len(n.Status.Conditions) != 2 || n.Status.Conditions[0].Type != "Other" || n.Status.ProviderStatus == nil {
		t.Errorf("NWX-4 status is %+v, want the other condition and what was measured", n.Status)
	}
}

func TestConflict(t *testing.T) {
	s := newSubject(t, made("Reconcile", "Succeeded"))
	s.fail = apierrors.NewConflict(schema.GroupResource{Resource: "networks"}, "s", errBoom)
	if pause, condition := s.look(t); pause != conflictRetry || condition != nil {
		t.Errorf("looks again after %v, condition %+v", pause, condition)
	}
	if _, condition := s.look(t); condition == nil || condition.Status != "True" {
		t.Errorf("condition is %+v", condition)
	}
}
