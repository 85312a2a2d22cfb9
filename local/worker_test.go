package local_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1 "k8s.io/api/core/v1"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/local/machine/container"
	"github.com/gardener-up/gardener-up/local/worker"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// TestWorker looks at what the contract suite cannot know: the machine objects.
func TestWorker(t *testing.T) {
	const ns = "shoot--local--worker"
	for _, obj := range []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns}},
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "osc-result-init"}, Data: map[string][]byte{"cloud_config": []byte("boot")}},
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "cloudprovider"}, Data: map[string][]byte{"cloud": []byte("key")}},
	} {
		if err := seed.Create(t.Context(), obj); err != nil {
			t.Fatalf("create %T: %v", obj, err)
		}
	}
	cluster, err := contract.GetCluster(t.Context(), seed, namespace)
	if err != nil {
		t.Fatalf("read cluster: %v", err)
	}
	a := &worker.Actuator{Client: seed, Reader: seed, Clock: time.Now}
	w := newWorker()
	w.Namespace, w.Spec.SecretRef.Namespace = ns, ns
	w.Spec.Pools[0].Labels = map[string]string{"pool": "first"}
	second := *w.Spec.Pools[0].DeepCopy()
	second.Name = "second"
	w.Spec.Pools = append(w.Spec.Pools, second)

	// until calls the actuator until it is done; the machine controller acts in between.
	until := func(t *testing.T, call func(context.Context, *contract.Cluster, *extensionsv1alpha1.Worker) error) {
		t.Helper()
		for range 20 {
			err := call(t.Context(), cluster, w)
			if err == nil {
				return
			}
			if _, ok := err.(contract.Waiting); !ok && !apierrors.IsConflict(err) {
				t.Fatalf("call: %v", err)
			}
			machinesReady(t.Context(), t, ns)
		}
		t.Fatalf("not done in time")
	}

	t.Run("EXT-11 EXT-12 makes class, secret and deployment per pool", func(t *testing.T) {
		until(t, a.Reconcile)
		d := &machinev1alpha1.MachineDeployment{}
		mustGet(t, d, ns, ns+"-pool-z1")
		class := d.Spec.Template.Spec.Class.Name
		mustGet(t, &machinev1alpha1.MachineClass{}, ns, class)
		secret := &corev1.Secret{}
		mustGet(t, secret, ns, class)
		if string(secret.Data["userData"]) != "boot" || string(secret.Data["cloud"]) != "key" || secret.Labels["gardener.cloud/purpose"] != "machineclass" {
			t.Errorf("secret of the class holds %q and has labels %v", secret.Data, secret.Labels)
		}
		if labels := d.Spec.Template.Spec.NodeTemplateSpec.Labels; labels["pool"] != "first" || labels["node.kubernetes.io/instance-type"] != "local" {
			t.Errorf("labels for the node are %v", labels)
		}
		if len(w.Status.MachineDeployments) != 2 || w.Status.MachineDeployments[0].Maximum != 2 {
			t.Errorf("status lists %+v", w.Status.MachineDeployments)
		}
	})
	t.Run("EXT-11 a new image makes a new class, a removed pool goes", func(t *testing.T) {
		before := w.Spec.Pools[0]
		w.Spec.Pools = w.Spec.Pools[:1]
		w.Spec.Pools[0].MachineImage.Version = "2.0.0"
		until(t, a.Reconcile)
		until(t, a.Reconcile) // leftovers of the former state go with the next look
		if found(t.Context(), &machinev1alpha1.MachineDeployment{}, ns, ns+"-second-z1") {
			t.Errorf("the deployment of pool %s is still there", before.Name)
		}
		classes := &machinev1alpha1.MachineClassList{}
		if err := seed.List(t.Context(), classes, client.InNamespace(ns)); err != nil || len(classes.Items) != 1 {
			t.Errorf("%d classes are left, %v; want 1", len(classes.Items), err)
		}
	})

	set := &machinev1alpha1.MachineSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "set", Labels: map[string]string{"name": ns + "-pool-z1"}},
		Spec:       machinev1alpha1.MachineSetSpec{Replicas: 1},
	}
	machine := &machinev1alpha1.Machine{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: ns, Name: "machine", Labels: map[string]string{"name": ns + "-pool-z1", "node": "n"},
			Finalizers: []string{machinev1alpha1.FinalizerName},
		},
		Spec: machinev1alpha1.MachineSpec{ProviderID: "local:///ns/machine"},
	}
	t.Run("MIG-9 removes the objects of machines without the machine controller", func(t *testing.T) {
		for _, obj := range []client.Object{set, machine} {
			if err := seed.Create(t.Context(), obj); err != nil {
				t.Fatalf("create %T: %v", obj, err)
			}
		}
		until(t, a.Migrate)
		if found(t.Context(), &machinev1alpha1.Machine{}, ns, "machine") || found(t.Context(), &machinev1alpha1.MachineDeployment{}, ns, ns+"-pool-z1") {
			t.Errorf("machine objects are left")
		}
		if w.Status.State == nil || !strings.Contains(string(w.Status.State.Raw), "local:///ns/machine") {
			t.Errorf("MIG-8 the state does not tell the machine: %v", w.Status.State)
		}
		if !strings.Contains(string(w.Status.State.Raw), `"machineClasses":[{"metadata":{"name":"`+ns+`-pool-z1-`) {
			t.Errorf("MIG-8 the state does not tell the class: %v", w.Status.State)
		}
	})
	saved := w.Status.State.DeepCopy()
	t.Run("EXT-19 MIG-8 takes machines over", func(t *testing.T) {
		until(t, a.Restore)
		got := &machinev1alpha1.Machine{}
		mustGet(t, got, ns, "machine")
		if got.Spec.ProviderID != "" || got.Labels["node"] != "n" {
			t.Errorf("the machine, whose pod has to be made again, came back as %+v", got)
		}
		if err := seed.Delete(t.Context(), got); err != nil {
			t.Fatal(err)
		}
		w.Status.State = saved
		until(t, a.Restore)
		if found(t.Context(), &machinev1alpha1.Machine{}, ns, "machine") {
			t.Error("EXT-19 a machine that has gone since the state was saved comes back")
		}
		if err := seed.Create(t.Context(), &machinev1alpha1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "machine", Labels: got.Labels}}); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("MIG-8 MIG-9 containers are ordered again under their names, and their orders are released", func(t *testing.T) {
		const ns = "shoot--local--moved"
		for _, obj := range []client.Object{
			&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns}},
			&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "osc-result-init"}, Data: map[string][]byte{"cloud_config": []byte("boot")}},
		} {
			if err := seed.Create(t.Context(), obj); err != nil {
				t.Fatal(err)
			}
		}
		containers := &worker.Actuator{Client: seed, Reader: seed, Clock: time.Now, Machines: api.Containers, NodeImage: func(_, _, _ string) string { return "image" }}
		moved := w.DeepCopy()
		moved.Namespace = ns
		moved.Status.State = &runtime.RawExtension{Raw: []byte(strings.ReplaceAll(string(saved.Raw), w.Namespace, ns))}
		if err := containers.Restore(t.Context(), cluster, moved); err != nil {
			if _, ok := err.(contract.Waiting); !ok { // for the machine to be ready
				t.Fatal(err)
			}
		}
		got := &machinev1alpha1.Machine{}
		mustGet(t, got, ns, "machine")
		if got.Spec.ProviderID != "" || got.Labels["node"] != "n" {
			t.Errorf("the machine, which is to be ordered again, came back as %+v", got)
		}
		order := container.Order{Namespace: ns, Machine: "machine", Class: "class", Node: "n", ProviderID: "id", Image: "image", UserData: []byte("boot")}.Secret()
		if err := seed.Create(t.Context(), order); err != nil {
			t.Fatal(err)
		}
		until(t, func(ctx context.Context, cluster *contract.Cluster, _ *extensionsv1alpha1.Worker) error {
			err := containers.Migrate(ctx, cluster, moved)
			if left := (&corev1.Secret{}); found(ctx, left, ns, order.Name) && left.DeletionTimestamp != nil {
				if !container.Released(left) {
					t.Errorf("MIG-9 the order goes with its container: %v", left.Annotations)
				}
				if err == nil || !found(ctx, &machinev1alpha1.Machine{}, ns, "machine") {
					t.Error("MIG-9 the migration does not wait for the host")
				}
				left.Finalizers = nil // as the host does
				if err := seed.Update(ctx, left); err != nil {
					t.Fatal(err)
				}
			}
			return err
		})
		if found(t.Context(), &corev1.Secret{}, ns, order.Name) {
			t.Error("MIG-9 the order is left behind")
		}
	})
	t.Run("MIG-8 the class of machines that a rolling update had not replaced comes back, until they are gone", func(t *testing.T) {
		const ns = "shoot--local--rolled"
		for _, obj := range []client.Object{
			&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns}},
			&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "osc-result-init"}, Data: map[string][]byte{"cloud_config": []byte("boot")}},
		} {
			if err := seed.Create(t.Context(), obj); err != nil {
				t.Fatal(err)
			}
		}
		rolled := w.DeepCopy()
		rolled.Namespace = ns
		rolled.Status.State = formerState(ns)
		look := func(call func(context.Context, *contract.Cluster, *extensionsv1alpha1.Worker) error) {
			t.Helper()
			if err := call(t.Context(), cluster, rolled); err != nil {
				if _, ok := err.(contract.Waiting); !ok {
					t.Fatal(err)
				}
			}
		}
		look(a.Restore)
		look(a.Restore)
		class, secret, machine := &machinev1alpha1.MachineClass{}, &corev1.Secret{}, &machinev1alpha1.Machine{}
		mustGet(t, class, ns, "former")
		mustGet(t, secret, ns, "former")
		mustGet(t, machine, ns, "old-1")
		if class.SecretRef.Name != "former" || string(secret.Data["userData"]) != "boot" || machine.Spec.Class.Name != "former" {
			t.Errorf("class %+v, user data %q, machine %+v", class.SecretRef, secret.Data["userData"], machine.Spec.Class)
		}
		if class.NodeTemplate.InstanceType != "former type" || class.NodeTemplate.Capacity.Cpu().String() != "7" {
			t.Errorf("the class is not the saved one: %+v", class.NodeTemplate)
		}
		if spec := (api.MachineSpec{}); api.Decode(&class.ProviderSpec, &spec) != nil || spec.Image != "" || spec.NodeImage != "" || spec.Signature != "" {
			t.Errorf("pods of this seed get an image of another one: %+v", spec)
		}
		t.Run("containers keep the image that they have", func(t *testing.T) {
			containers := &worker.Actuator{Client: seed, Reader: seed, Clock: time.Now, Machines: api.Containers, NodeImage: func(_, _, _ string) string { return "image" }}
			const ns = "shoot--local--rolled-containers"
			for _, obj := range []client.Object{
				&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns}},
				&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "osc-result-init"}, Data: map[string][]byte{"cloud_config": []byte("boot")}},
			} {
				if err := seed.Create(t.Context(), obj); err != nil {
					t.Fatal(err)
				}
			}
			moved := w.DeepCopy()
			moved.Namespace, moved.Status.State = ns, formerState(ns)
			if err := containers.Restore(t.Context(), cluster, moved); err != nil {
				if _, ok := err.(contract.Waiting); !ok {
					t.Fatal(err)
				}
			}
			class, spec := &machinev1alpha1.MachineClass{}, api.MachineSpec{}
			mustGet(t, class, ns, "former")
			if err := api.Decode(&class.ProviderSpec, &spec); err != nil || spec.NodeImage != "former image" {
				t.Errorf("machines of the former class are made from %+v, %v", spec, err)
			}
			if !strings.Contains(string(moved.Status.State.Raw), "former image") {
				t.Errorf("the class is not saved again: %s", moved.Status.State.Raw)
			}
		})
		set := &machinev1alpha1.MachineSet{}
		mustGet(t, set, ns, "old")
		for _, obj := range []client.Object{machine, set} {
			if err := seed.Delete(t.Context(), obj); err != nil {
				t.Fatal(err)
			}
		}
		look(a.Reconcile)
		if found(t.Context(), &machinev1alpha1.MachineClass{}, ns, "former") {
			t.Error("the class stays although no machine has it")
		}
	})
	t.Run("EXT-4 waits until the machine controller has removed the machines", func(t *testing.T) {
		mustGet(t, machine, ns, "machine")
		machine.Finalizers = []string{machinev1alpha1.FinalizerName}
		if err := seed.Update(t.Context(), machine); err != nil {
			t.Fatalf("hold machine: %v", err)
		}
		for range 3 {
			if err := a.Delete(t.Context(), cluster, w); err == nil {
				t.Fatalf("done although a machine is left")
			}
		}
		mustGet(t, machine, ns, "machine")
		if machine.DeletionTimestamp == nil || machine.Labels[machinev1alpha1.ForceDeletionLabelKey] == "" {
			t.Errorf("the machine is not being deleted without a drain: %+v", machine.ObjectMeta)
		}
		machine.Finalizers = nil
		if err := seed.Update(t.Context(), machine); err != nil {
			t.Fatalf("release machine: %v", err)
		}
		until(t, a.Delete)
	})
}

// formerState is the state of a Worker whose machine has a class that a rolling update has not replaced yet.
func formerState(ns string) *runtime.RawExtension {
	return &runtime.RawExtension{Raw: fmt.Appendf(nil, `{"machineDeployments":{"%[1]s-pool-z1":{"replicas":1,
		"machineSets":[{"metadata":{"name":"old","namespace":%[1]q,"labels":{"name":"%[1]s-pool-z1"}},"spec":{"replicas":1,"template":{"spec":{"class":{"kind":"MachineClass","name":"former"}}}}}],
		"machines":[{"metadata":{"name":"old-1","namespace":%[1]q,"labels":{"name":"%[1]s-pool-z1","node":"n"}},"spec":{"class":{"kind":"MachineClass","name":"former"},"providerID":"local:///x"}}]}},
		"machineClasses":[{"metadata":{"name":"former","namespace":%[1]q},"nodeTemplate":{"capacity":{"cpu":"7"},"instanceType":"former type"},
			"providerSpec":{"image":"of another seed","nodeImage":"former image","signature":"of another seed"}}]}`, ns)}
}

func mustGet(t *testing.T, obj client.Object, namespace, name string) {
	t.Helper()
	if err := seed.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, obj); err != nil {
		t.Fatalf("read %T %s: %v", obj, name, err)
	}
}
