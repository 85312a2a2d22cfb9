package autoscaler_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/go-logr/logr/testr"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/autoscaler"
	"github.com/gardener-up/gardener-up/controllers/autoscaler/group"
	"github.com/gardener-up/gardener-up/controllers/autoscaler/scaledown"
	"github.com/gardener-up/gardener-up/embedded/apis/crds"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/testenv"
)

var env *testenv.Env

func TestMain(m *testing.M) {
	definitions, err := crds.Machine()
	if err == nil {
		err = machinev1alpha1.AddToScheme(scheme.Scheme)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	testenv.Main(m, testenv.Options{CRDs: definitions, NoLeaks: true}, func(e *testenv.Env) { env = e })
}

// world is a pool of machines whose controller is the test; its nodes are in the same API server.
type world struct {
	*testing.T
	client.Client
	scaler    *autoscaler.Scaler
	clock     *clocktesting.FakeClock
	namespace string
	set       *machinev1alpha1.MachineSet
}

// impatient hides when to try again: client-go would send an eviction that is refused ten times, ten seconds apart.
type impatient struct{ http.RoundTripper }

func (i impatient) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := i.RoundTripper.RoundTrip(request)
	if err == nil {
		response.Header.Del("Retry-After")
	}
	return response, err
}

func newWorld(t *testing.T, size int32, least, most int) *world {
	t.Helper()
	config := rest.CopyConfig(env.Config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return impatient{next} })
	c, err := client.New(config, client.Options{Scheme: scheme.Scheme})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, Client: c, clock: clocktesting.NewFakeClock(time.Now())}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "shoot--test--"}}
	w.must(c.Create(t.Context(), namespace))
	w.namespace = namespace.Name
	w.scaler = &autoscaler.Scaler{
		Control: c, Target: c, TargetReader: c, Recorder: events.NewFakeRecorder(100), Clock: w.clock, Log: testr.New(t),
		Options: autoscaler.Options{
			Namespace: w.namespace, Expander: "least-waste", ScaleDown: true, MaxNodeProvisionTime: 20 * time.Minute, MaxGracefulTermination: 10 * time.Minute,
			Settings:      scaledown.Settings{UtilizationThreshold: 0.5, UnneededTime: time.Minute, UnreadyTime: time.Hour, MaxAtOnce: 10, MaxDrained: 1},
			DelayAfterAdd: 2 * time.Minute, DelayAfterFailure: 3 * time.Minute, InitialBackoff: 5 * time.Minute, MaxBackoff: 30 * time.Minute, BackoffReset: 3 * time.Hour,
			StartupTaints: []string{"node.gardener.cloud/critical-components-not-ready"},
		},
		Groups: []group.Bounds{{Name: "pool", Min: least, Max: most}},
	}
	w.populate(size)
	return w
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: w.namespace, Name: name}
}

// populate makes the MachineDeployment, its class and set, and as many machines with nodes.
func (w *world) populate(size int32) {
	w.Helper()
	template := machinev1alpha1.MachineTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"name": "pool"}},
		Spec:       machinev1alpha1.MachineSpec{Class: machinev1alpha1.ClassSpec{Kind: "MachineClass", Name: "class"}},
	}
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"name": "pool"}}
	w.must(w.Create(w.Context(), &machinev1alpha1.MachineClass{
		ObjectMeta: w.meta("class"), ProviderSpec: runtime.RawExtension{Raw: []byte("{}")},
		NodeTemplate: &machinev1alpha1.NodeTemplate{InstanceType: "small", Region: "here", Zone: "a", Capacity: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("2080m"), corev1.ResourceMemory: resource.MustParse("8Gi"), "gpu": resource.MustParse("0"),
		}},
	}))
	deployment := &machinev1alpha1.MachineDeployment{ObjectMeta: w.meta("pool"), Spec: machinev1alpha1.MachineDeploymentSpec{Replicas: size, Selector: selector, Template: template}}
	w.must(w.Create(w.Context(), deployment))
	w.set = &machinev1alpha1.MachineSet{ObjectMeta: w.meta("pool-x"), Spec: machinev1alpha1.MachineSetSpec{Replicas: size, Selector: selector, Template: template}}
	w.set.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(deployment, machinev1alpha1.SchemeGroupVersion.WithKind("MachineDeployment"))}
	w.must(w.Create(w.Context(), w.set))
	for i := range size {
		w.machine(fmt.Sprintf("m%d", i))
		w.node(fmt.Sprintf("m%d", i))
	}
}

func (w *world) machine(name string) {
	w.Helper()
	machine := &machinev1alpha1.Machine{ObjectMeta: w.meta(name), Spec: w.set.Spec.Template.Spec}
	machine.Labels = map[string]string{"name": "pool", machinev1alpha1.NodeLabelKey: w.nodeName(name)}
	machine.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(w.set, machinev1alpha1.SchemeGroupVersion.WithKind("MachineSet"))}
	w.must(w.Create(w.Context(), machine))
}

func (w *world) nodeName(machine string) string { return w.namespace + "-" + machine }

// node becomes ready at once; nodes are named after the namespace, which is a selector of pods, too.
func (w *world) node(machine string) {
	w.Helper()
	name := w.nodeName(machine)
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}}}
	w.must(w.Create(w.Context(), node))
	w.Cleanup(func() { _ = w.Delete(context.Background(), node) })
	node.Status.Allocatable = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2"), corev1.ResourceMemory: resource.MustParse("7Gi"), corev1.ResourcePods: resource.MustParse("10")}
	node.Status.Capacity = node.Status.Allocatable
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	w.must(w.Status().Update(w.Context(), node))
	w.must(w.Get(w.Context(), client.ObjectKeyFromObject(node), node))
	node.Spec.Taints = nil // the server's admission takes new nodes for not ready
	w.must(w.Update(w.Context(), node))
}

// pod asks for cpu; without a node the scheduler has not found one.
func (w *world) pod(name, cpu, machine string) *corev1.Pod {
	w.Helper()
	pod := &corev1.Pod{ObjectMeta: w.meta(name), Spec: corev1.PodSpec{
		Containers: []corev1.Container{{Name: "c", Image: "none", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}}}},
	}}
	pod.Labels = map[string]string{"app": "web"}
	pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web", UID: "1", Controller: ptr.To(true)}}
	if machine != "" {
		pod.Spec.NodeName = w.nodeName(machine)
	}
	w.must(w.Create(w.Context(), pod))
	w.Cleanup(func() { _ = w.Delete(context.Background(), pod, client.GracePeriodSeconds(0)) })
	pod.Status = corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}}
	if machine == "" {
		pod.Status = corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable}}}
	}
	w.must(w.Status().Update(w.Context(), pod))
	return pod
}

func (w *world) round(after time.Duration) error {
	w.Helper()
	w.clock.Step(after)
	return w.scaler.Round(w.Context())
}

func (w *world) size() int32 {
	w.Helper()
	deployment := &machinev1alpha1.MachineDeployment{}
	w.must(w.Get(w.Context(), client.ObjectKey{Namespace: w.namespace, Name: "pool"}, deployment))
	return deployment.Spec.Replicas
}

func (w *world) wantSize(want int32) {
	w.Helper()
	if got := w.size(); got != want {
		w.Errorf("size is %d, want %d", got, want)
	}
}

func (w *world) priority(machine string) string {
	w.Helper()
	m := &machinev1alpha1.Machine{}
	w.must(w.Get(w.Context(), client.ObjectKey{Namespace: w.namespace, Name: machine}, m))
	return m.Annotations[machinev1alpha1.MachinePriority]
}

func (w *world) marked(machine string) bool {
	w.Helper()
	node := &corev1.Node{}
	w.must(w.Get(w.Context(), client.ObjectKey{Name: w.nodeName(machine)}, node))
	return len(node.Spec.Taints) > 0 && node.Spec.Taints[0].Key == group.ToBeDeletedTaint
}

func TestGrowsAndShrinks(t *testing.T) {
	w := newWorld(t, 1, 1, 3)
	w.pod("there", "1500m", "m0")
	w.pod("first", "1500m", "")
	w.pod("second", "1500m", "")
	w.pod("third", "1500m", "")

	w.must(w.round(0))
	w.wantSize(3) // API-22: as many as are missing, but no more than the maximum
	w.must(w.round(time.Minute))
	w.wantSize(3)
	for _, name := range []string{"first", "second", "third"} {
		w.must(w.Delete(w.Context(), &corev1.Pod{ObjectMeta: w.meta(name)}, client.GracePeriodSeconds(0)))
	}
	w.machine("m1")
	w.node("m1")
	w.machine("m2")
	w.node("m2")
	web := w.pod("web", "100m", "m1")

	w.must(w.round(0))
	w.must(w.round(30 * time.Second)) // unneeded, but not for long
	w.wantSize(3)
	w.must(w.round(2 * time.Minute))
	w.wantSize(1)
	if w.priority("m0") != "" || w.priority("m1") != "1" || w.priority("m2") != "1" {
		t.Errorf("priorities are %q, %q, %q", w.priority("m0"), w.priority("m1"), w.priority("m2"))
	}
	if w.marked("m0") || !w.marked("m1") || !w.marked("m2") {
		t.Error("other nodes than those that go are closed")
	}
	if err := w.Get(t.Context(), client.ObjectKeyFromObject(web), web); err == nil && web.DeletionTimestamp == nil {
		t.Error("the pod that had to move is still there")
	}
	w.must(w.round(time.Hour))
	w.wantSize(1) // not below the minimum
}

func TestNothingIsAddedForWhatOthersWillTake(t *testing.T) {
	w := newWorld(t, 1, 0, 3)
	w.pod("there", "1500m", "m0")
	w.pod("waits", "1", "")
	w.must(w.round(0))
	w.wantSize(2)
	w.must(w.round(time.Second)) // the machine is coming
	w.wantSize(2)
	w.machine("m1")
	w.node("m1") // there, but the scheduler has not seen it yet
	w.must(w.round(time.Hour))
	w.must(w.round(time.Hour))
	w.wantSize(2) // nor is the node unneeded
}

// The node controller removes the taint only some time after the condition, longer on a loaded machine.
func TestANodeThatIsAboutToLoseItsTaintWillTakePods(t *testing.T) {
	w := newWorld(t, 1, 1, 3)
	node := &corev1.Node{}
	w.must(w.Get(t.Context(), client.ObjectKey{Name: w.nodeName("m0")}, node))
	node.Spec.Taints = []corev1.Taint{{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule}}
	w.must(w.Update(t.Context(), node))
	w.pod("waits", "1500m", "")
	w.must(w.round(0))
	w.wantSize(1)
}

func TestBudgetsAreKept(t *testing.T) {
	w := newWorld(t, 2, 1, 3)
	w.pod("there", "1500m", "m0")
	w.pod("web", "100m", "m1")
	budget := &policyv1.PodDisruptionBudget{ObjectMeta: w.meta("web"), Spec: policyv1.PodDisruptionBudgetSpec{
		Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}, MinAvailable: ptr.To(intstr.FromInt32(2)),
	}}
	w.must(w.Create(t.Context(), budget))
	w.must(w.round(0))
	w.must(w.round(time.Hour))
	w.wantSize(2)
	// The cache may be behind: the API server has the last word.
	budget.Status = policyv1.PodDisruptionBudgetStatus{ObservedGeneration: budget.Generation - 1, DisruptionsAllowed: 1, ExpectedPods: 2, CurrentHealthy: 2, DesiredHealthy: 2}
	w.must(w.Status().Update(t.Context(), budget))
	w.must(w.round(0)) // a candidate from now on
	if err := w.round(2 * time.Minute); err == nil {
		t.Error("that a budget refuses is no error")
	}
	w.wantSize(2)
	if w.marked("m1") {
		t.Error("a node that stays is closed")
	}
	budget.Status.ObservedGeneration = budget.Generation
	w.must(w.Status().Update(t.Context(), budget))
	w.must(w.round(time.Second))
	w.wantSize(2) // the pause after a failure
	w.must(w.round(4 * time.Minute))
	w.wantSize(1)
}

func TestMarksOfARoundThatWasKilledAreTakenBack(t *testing.T) {
	w := newWorld(t, 2, 2, 3)
	w.pod("there", "1500m", "m0")
	node := &corev1.Node{}
	w.must(w.Get(t.Context(), client.ObjectKey{Name: w.nodeName("m1")}, node))
	node.Spec.Taints = []corev1.Taint{{Key: group.ToBeDeletedTaint, Value: "1", Effect: corev1.TaintEffectNoSchedule}}
	w.must(w.Update(t.Context(), node))
	machine := &machinev1alpha1.Machine{}
	w.must(w.Get(t.Context(), client.ObjectKey{Namespace: w.namespace, Name: "m1"}, machine))
	metav1.SetMetaDataAnnotation(&machine.ObjectMeta, machinev1alpha1.MachinePriority, "1")
	w.must(w.Update(t.Context(), machine))

	w.must(w.round(0))
	if w.priority("m1") != "3" || w.marked("m1") {
		t.Errorf("priority is %q, closed %v", w.priority("m1"), w.marked("m1"))
	}
	t.Run("but not those of a machine that goes", func(t *testing.T) {
		w.must(w.Update(t.Context(), func() *corev1.Node {
			w.must(w.Get(t.Context(), client.ObjectKeyFromObject(node), node))
			node.Spec.Taints = []corev1.Taint{{Key: group.ToBeDeletedTaint, Value: "1", Effect: corev1.TaintEffectNoSchedule}}
			return node
		}()))
		deployment := &machinev1alpha1.MachineDeployment{}
		w.must(w.Get(t.Context(), client.ObjectKey{Namespace: w.namespace, Name: "pool"}, deployment))
		deployment.Spec.Replicas = 1
		w.must(w.Update(t.Context(), deployment))
		w.must(w.round(0))
		if !w.marked("m1") {
			t.Error("the node is open again")
		}
	})
}

func TestMachinesThatDoNotComeAreGivenUp(t *testing.T) {
	w := newWorld(t, 1, 1, 3)
	w.pod("there", "1500m", "m0")
	w.pod("waits", "1500m", "")
	w.must(w.round(0))
	w.wantSize(2)
	w.machine("never")
	w.must(w.round(10 * time.Minute))
	w.wantSize(2)
	w.must(w.round(20 * time.Minute))
	w.wantSize(1)
	if w.priority("never") != "1" {
		t.Error("another machine goes")
	}
	w.must(w.Delete(t.Context(), &machinev1alpha1.Machine{ObjectMeta: w.meta("never")}))
	w.must(w.round(time.Minute))
	w.wantSize(1) // the pool rests
	w.must(w.round(5 * time.Minute))
	w.wantSize(2)
}
