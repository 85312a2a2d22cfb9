package machine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/gardener-up/gardener-up/controllers/machine"
	"github.com/gardener-up/gardener-up/embedded/apis/crds"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/testenv"
	contractmachine "github.com/gardener-up/gardener-up/providers/contract/machine"
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
	testenv.Main(m, testenv.Options{CRDs: definitions}, func(e *testenv.Env) { env = e })
}

// world is a namespace with running controllers.
type world struct {
	*testing.T
	client.Client
	driver     *driver
	target     *rest.Config // of the cluster that the machines join
	namespace  string
	deployment *machinev1alpha1.MachineDeployment
}

func newWorld(t *testing.T, replicas int32) *world {
	t.Helper()
	w := newWorldWithout(t)
	w.start()
	w.populate(replicas)
	return w
}

// newWorldWithout is a world without controllers.
func newWorldWithout(t *testing.T) *world {
	t.Helper()
	c, err := client.New(env.Config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, Client: c, driver: &driver{target: c, machines: map[string]string{}}, target: env.Config}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "shoot--test--"}}
	w.must(c.Create(t.Context(), namespace))
	w.namespace = namespace.Name
	return w
}

func (w *world) populate(replicas int32) {
	w.Helper()
	w.must(w.Create(w.Context(), &corev1.Secret{ObjectMeta: w.meta("boot"), Data: map[string][]byte{contractmachine.UserDataKey: []byte("#!")}}))
	w.class("small")
	w.class("large")
	w.deployment = &machinev1alpha1.MachineDeployment{
		ObjectMeta: w.meta("pool"),
		Spec: machinev1alpha1.MachineDeploymentSpec{
			Replicas: replicas,
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"name": "pool"}},
			Template: machinev1alpha1.MachineTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"name": "pool"}},
				Spec: machinev1alpha1.MachineSpec{
					Class: machinev1alpha1.ClassSpec{Kind: "MachineClass", Name: "small"},
					NodeTemplateSpec: machinev1alpha1.NodeTemplateSpec{
						ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"worker.gardener.cloud/pool": "pool"}},
					},
				},
			},
		},
	}
	w.must(w.Create(w.Context(), w.deployment))
}

// start runs the controllers until the test ends.
func (w *world) start() {
	w.Helper()
	w.startWith(w.driver)
}

// startWith runs the controllers with another driver.
func (w *world) startWith(driver contractmachine.Driver) {
	w.Helper()
	mgr, err := manager.New(env.Config, manager.Options{
		Scheme:     scheme.Scheme,
		Metrics:    metricsserver.Options{BindAddress: "0"},
		Controller: config.Controller{SkipNameValidation: ptr.To(true)}, // one set of controllers per test
		Cache:      cache.Options{DefaultNamespaces: map[string]cache.Config{w.namespace: {}}},
	})
	w.must(err)
	target, err := cluster.New(w.target)
	w.must(err)
	w.must(mgr.Add(target))
	w.must(machine.AddToManager(mgr, machine.Config{Target: target, Driver: driver, Namespace: w.namespace, OrphanPeriod: time.Second, RetryPeriod: 200 * time.Millisecond}))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- mgr.Start(ctx) }()
	w.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			w.Errorf("controllers: %v", err)
		}
	})
}

func TestRollout(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.complete(2)
	first := w.machines()
	for _, m := range first {
		if m.Spec.ProviderID != "test://"+m.Name || m.Labels[machinev1alpha1.NodeLabelKey] != m.Name {
			t.Errorf("machine %s: provider ID %q, node %q", m.Name, m.Spec.ProviderID, m.Labels[machinev1alpha1.NodeLabelKey])
		}
	}

	t.Run("labels of the template get to the nodes without new machines", func(t *testing.T) {
		w := w.in(t)
		w.change(func(d *machinev1alpha1.MachineDeployment) {
			d.Spec.Template.Spec.NodeTemplateSpec.Labels["team"] = "a"
			d.Spec.Template.Spec.NodeTemplateSpec.Spec.Taints = []corev1.Taint{{Key: "dedicated", Value: "a", Effect: corev1.TaintEffectNoSchedule}}
		})
		w.eventually("labels and taints on both nodes", func() error {
			for name := range w.driver.has() {
				node := &corev1.Node{}
				w.must(w.Get(t.Context(), client.ObjectKey{Name: name}, node))
				tainted := slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == "dedicated" })
				if node.Labels["team"] != "a" || node.Labels["worker.gardener.cloud/pool"] != "pool" || !tainted {
					return fmt.Errorf("labels %v, taints %v", node.Labels, node.Spec.Taints)
				}
			}
			return nil
		})
		if diff := cmp.Diff(names(first), names(w.machines())); diff != "" {
			t.Errorf("machines (-before +after):\n%s", diff)
		}
	})

	t.Run("a new class replaces all machines", func(t *testing.T) {
		w := w.in(t)
		w.driver.fail(contractmachine.Errorf(contractmachine.Unavailable, "not yet")) // holds the rollout
		w.change(func(d *machinev1alpha1.MachineDeployment) { d.Spec.Template.Spec.Class.Name = "large" })
		w.eventually("nodes that are about to go are avoided", func() error {
			for name := range w.driver.has() {
				node := &corev1.Node{}
				w.must(w.Get(t.Context(), client.ObjectKey{Name: name}, node))
				avoided := slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == machinev1alpha1.PreferNoScheduleKey })
				if !avoided || node.Annotations[machinev1alpha1.ClusterAutoscalerScaleDownDisabledAnnotation] != "true" {
					return fmt.Errorf("node %s: taints %v, annotations %v", name, node.Spec.Taints, node.Annotations)
				}
			}
			return nil
		})
		w.driver.fail(nil)
		w.complete(2)
		w.eventually("nodes that stay are not marked any more", func() error {
			for name := range w.driver.has() {
				node := &corev1.Node{}
				w.must(w.Get(t.Context(), client.ObjectKey{Name: name}, node))
				if _, marked := node.Annotations[machinev1alpha1.ClusterAutoscalerScaleDownDisabledAnnotation]; marked {
					return fmt.Errorf("node %s is marked", name)
				}
			}
			return nil
		})
		w.eventually("machines of the new class only", func() error {
			for _, m := range w.machines() {
				if m.Spec.Class.Name != "large" {
					return fmt.Errorf("%s is of class %s", m.Name, m.Spec.Class.Name)
				}
			}
			return nil
		})
		if had := len(w.driver.has()); had != 2 {
			t.Errorf("%d machines at the provider, want 2", had)
		}
		nodes := &corev1.NodeList{}
		w.must(w.List(t.Context(), nodes))
		for _, node := range nodes.Items {
			if slices.Contains(names(first), node.Name) {
				t.Errorf("node %s of an old machine is still there", node.Name)
			}
		}
	})

	t.Run("a rollback brings the former class back", func(t *testing.T) {
		w := w.in(t)
		w.change(func(d *machinev1alpha1.MachineDeployment) { d.Spec.RollbackTo = &machinev1alpha1.RollbackConfig{} })
		w.eventually("the former class", func() error {
			w.must(w.Get(t.Context(), client.ObjectKeyFromObject(w.deployment), w.deployment))
			if got := w.deployment.Spec.Template.Spec.Class.Name; got != "small" {
				return fmt.Errorf("class %s", got)
			}
			return nil
		})
		w.complete(2)
	})

	t.Run("EXT-11 deletion removes machines, nodes and classes", func(t *testing.T) {
		w := w.in(t)
		for _, name := range []string{"small", "large"} {
			w.must(w.Delete(t.Context(), &machinev1alpha1.MachineClass{ObjectMeta: w.meta(name)}))
		}
		w.must(w.Delete(t.Context(), w.deployment))
		w.eventually("nothing left", func() error {
			if err := w.Get(t.Context(), client.ObjectKeyFromObject(w.deployment), w.deployment); !apierrors.IsNotFound(err) {
				return fmt.Errorf("deployment: %v", err)
			}
			classes := &machinev1alpha1.MachineClassList{}
			w.must(w.List(t.Context(), classes, client.InNamespace(w.namespace)))
			if left := len(w.machines()) + len(w.driver.has()) + len(classes.Items); left > 0 {
				return fmt.Errorf("%d objects left", left)
			}
			return nil
		})
	})
}

func TestMachinesAreLookedAfter(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.complete(1)
	name := w.machines()[0].Name
	ctx := t.Context()

	t.Run("MIG-8 a set and a machine that nobody controls are adopted", func(t *testing.T) {
		w := w.in(t)
		sets := &machinev1alpha1.MachineSetList{}
		w.must(w.List(ctx, sets, client.InNamespace(w.namespace)))
		machine := w.machines()[0]
		orphan := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"ownerReferences":null}}`))
		w.must(w.Patch(ctx, &sets.Items[0], orphan))
		w.must(w.Patch(ctx, &machine, orphan))
		w.change(func(d *machinev1alpha1.MachineDeployment) { d.Spec.MinReadySeconds++ }) // wakes the controller
		w.eventually("they have owners again", func() error {
			if err := w.List(ctx, sets, client.InNamespace(w.namespace)); err != nil || len(sets.Items) != 1 || metav1.GetControllerOf(&sets.Items[0]) == nil {
				return fmt.Errorf("%d sets, %v", len(sets.Items), err)
			}
			machines := w.machines()
			if len(machines) != 1 || machines[0].Name != name || metav1.GetControllerOf(&machines[0]) == nil {
				return fmt.Errorf("machines %v", names(machines))
			}
			return nil
		})
	})

	t.Run("a stopped machine is started", func(t *testing.T) {
		w := w.in(t)
		w.driver.did()
		w.must(w.driver.set(ctx, name, "stopped", corev1.ConditionUnknown))
		w.eventually("it runs again", func() error {
			if log := w.driver.did(); !slices.Contains(log, "start") {
				return fmt.Errorf("driver did %v", log)
			}
			return nil
		})
		w.complete(1)
		if diff := cmp.Diff([]string{name}, names(w.machines())); diff != "" {
			t.Errorf("machines (-before +after):\n%s", diff)
		}
	})

	t.Run("a machine that is gone is replaced, without waiting for its pods", func(t *testing.T) {
		w := w.in(t)
		w.must(w.Create(ctx, w.pod("lost", name)))
		w.driver.did()
		w.must(w.driver.set(ctx, name, "", corev1.ConditionFalse))
		w.eventually("another machine", func() error {
			machines := w.machines()
			if len(machines) != 1 || machines[0].Name == name {
				return fmt.Errorf("machines %v", names(machines))
			}
			return nil
		})
		w.must(w.Delete(ctx, w.pod("lost", name), client.GracePeriodSeconds(0)))
		w.complete(1)
	})

	t.Run("a machine without a Machine is removed", func(t *testing.T) {
		w := w.in(t)
		w.must(w.driver.set(ctx, "stray", "running", corev1.ConditionTrue))
		w.eventually("it is gone", func() error {
			if _, exists := w.driver.has()["stray"]; exists {
				return errors.New("it is still there")
			}
			return nil
		})
		w.must(w.Delete(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "stray"}}))
	})

	t.Run("an error of the driver is told with its code, and tried again", func(t *testing.T) {
		w := w.in(t)
		w.driver.fail(contractmachine.Errorf(contractmachine.Unavailable, "nobody home"))
		w.change(func(d *machinev1alpha1.MachineDeployment) { d.Spec.Replicas = 2 })
		w.eventually("a machine in CrashLoopBackOff", func() error {
			for _, m := range w.machines() {
				if m.Status.CurrentStatus.Phase == machinev1alpha1.MachineCrashLoopBackOff {
					if m.Status.LastOperation.ErrorCode != "Unavailable" || m.Status.LastOperation.Description != "nobody home" {
						t.Errorf("last operation %+v", m.Status.LastOperation)
					}
					return nil
				}
			}
			return errors.New("there is none")
		})
		w.driver.fail(nil)
		w.complete(2)
	})

	t.Run("a node is drained before its machine goes", func(t *testing.T) {
		w := w.in(t)
		machines := w.machines()
		for _, m := range machines {
			pod := w.pod("web-"+m.Name, m.Name)
			pod.Spec.TerminationGracePeriodSeconds = ptr.To[int64](0)
			w.must(w.Create(ctx, pod))
		}
		w.driver.did()
		w.change(func(d *machinev1alpha1.MachineDeployment) { d.Spec.Replicas = 1 })
		w.eventually("one machine", func() error {
			if n := len(w.machines()); n != 1 {
				return fmt.Errorf("%d machines", n)
			}
			return nil
		})
		// The driver may be asked again before the cache knows that the machine is gone.
		if diff := cmp.Diff([]string{"delete with 1 pods"}, slices.Compact(w.driver.did())); diff != "" {
			t.Errorf("driver (-want +got):\n%s", diff)
		}
	})
}

// in is the same world in a subtest.
func (w *world) in(t *testing.T) *world {
	out := *w
	out.T = t
	return &out
}

// pod is a pod on a node. It ends with its grace period only if a kubelet ends it.
func (w *world) pod(name, node string) *corev1.Pod {
	w.must(client.IgnoreAlreadyExists(w.Create(w.Context(), &corev1.ServiceAccount{ObjectMeta: w.meta("default")})))
	return &corev1.Pod{ObjectMeta: w.meta(name), Spec: corev1.PodSpec{
		NodeName: node, AutomountServiceAccountToken: ptr.To(false),
		Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
		Containers:  []corev1.Container{{Name: "web", Image: "nginx"}},
	}}
}

func (w *world) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: w.namespace, Name: name}
}

// TestCommand runs the component as a pod would, but for the way it finds the control cluster.
func TestCommand(t *testing.T) {
	t.Parallel()
	w := newWorldWithout(t)
	w.populate(1)
	cmd := machine.Command(func(_ context.Context, _ client.Client, namespace string) (contractmachine.Driver, error) {
		if namespace != w.namespace {
			t.Errorf("driver for namespace %q, want %q", namespace, w.namespace)
		}
		return w.driver, nil
	})
	cmd.SetArgs([]string{"--control-kubeconfig", env.Kubeconfig, "--target-kubeconfig", env.Kubeconfig, "--namespace", w.namespace, "--bind-address", env.Address + ":10258"})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- cmd.ExecuteContext(ctx) }()
	w.complete(1)
	response, err := http.Get("http://" + env.Address + ":10258/readyz")
	w.must(err)
	if w.must(response.Body.Close()); response.StatusCode != http.StatusOK {
		t.Errorf("/readyz: %s", response.Status)
	}
	w.must(w.Delete(t.Context(), w.deployment))
	w.eventually("no machines", func() error {
		if left := len(w.machines()); left > 0 {
			return fmt.Errorf("%d machines", left)
		}
		return nil
	})
	cancel()
	if err := <-done; err != nil {
		t.Errorf("command: %v", err)
	}
}

func (w *world) class(name string) {
	w.Helper()
	w.must(w.Create(w.Context(), &machinev1alpha1.MachineClass{
		ObjectMeta:   w.meta(name),
		Provider:     "test",
		ProviderSpec: runtime.RawExtension{Raw: []byte(`{"size":"` + name + `"}`)},
		SecretRef:    &corev1.SecretReference{Namespace: w.namespace, Name: "boot"},
	}))
}

func (w *world) machines() []machinev1alpha1.Machine {
	w.Helper()
	list := &machinev1alpha1.MachineList{}
	w.must(w.List(w.Context(), list, client.InNamespace(w.namespace)))
	return list.Items
}

func names(machines []machinev1alpha1.Machine) []string {
	out := map[string]bool{}
	for _, m := range machines {
		out[m.Name] = true
	}
	return slices.Sorted(maps.Keys(out))
}

func (w *world) change(change func(*machinev1alpha1.MachineDeployment)) {
	w.Helper()
	w.must(w.Get(w.Context(), client.ObjectKeyFromObject(w.deployment), w.deployment))
	before := w.deployment.DeepCopy()
	change(w.deployment)
	w.must(w.Patch(w.Context(), w.deployment, client.MergeFrom(before)))
}

// complete waits until the status says that there are only up-to-date and available machines.
func (w *world) complete(replicas int32) {
	w.Helper()
	w.eventually("a complete deployment", func() error {
		w.must(w.Get(w.Context(), client.ObjectKeyFromObject(w.deployment), w.deployment))
		got := w.deployment.Status
		got.Conditions = nil
		want := machinev1alpha1.MachineDeploymentStatus{
			ObservedGeneration: w.deployment.Generation,
			Replicas:           replicas, UpdatedReplicas: replicas, ReadyReplicas: replicas, AvailableReplicas: replicas,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			return fmt.Errorf("status (-want +got):\n%s", diff)
		}
		return nil
	})
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) eventually(what string, check func() error) {
	w.Helper()
	env.Until(w, what, func(context.Context) error { return check() })
}
