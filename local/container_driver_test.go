package local_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/testwait"
	"github.com/gardener-up/gardener-up/local/api"
	localmachine "github.com/gardener-up/gardener-up/local/machine"
	"github.com/gardener-up/gardener-up/local/machine/container"
	"github.com/gardener-up/gardener-up/providers/contract/machine"
)

// containerRequest is one for a machine that is a container.
func containerRequest(name string) machine.Request {
	spec := api.MachineSpec{TypeMeta: api.Meta("MachineSpec"), Runtime: api.Containers, NodeImage: "kindest/node:v1.36.3"}
	return machine.Request{
		Machine: &machinev1alpha1.Machine{ObjectMeta: meta(name), Spec: machinev1alpha1.MachineSpec{Class: machinev1alpha1.ClassSpec{Name: "containers"}}},
		Class:   &machinev1alpha1.MachineClass{ObjectMeta: meta("containers"), ProviderSpec: runtime.RawExtension{Raw: api.Encode(spec).Raw}},
		Secret:  map[string][]byte{machine.UserDataKey: []byte("boot")},
	}
}

// readOrder reads the order of a machine; nil if there is none.
func readOrder(ctx context.Context, name string) *corev1.Secret {
	secret := &corev1.Secret{}
	secret.Namespace, secret.Name = container.Key(namespace, name)
	if err := seed.Get(ctx, client.ObjectKeyFromObject(secret), secret); err != nil {
		return nil
	}
	return secret
}

// hostReports stands for the agent on the host: it waits for an order for which when holds, and changes it.
func hostReports(t *testing.T, name string, when func(*corev1.Secret) bool, change func(*corev1.Secret)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testwait.Patience)
	done := make(chan error, 1)
	t.Cleanup(func() {
		if err := <-done; err != nil {
			t.Errorf("the host could not report: %v", err)
		}
		cancel()
	})
	go func() { done <- changeOrder(ctx, name, when, change) }()
}

func changeOrder(ctx context.Context, name string, when func(*corev1.Secret) bool, change func(*corev1.Secret)) error {
	c, err := client.NewWithWatch(restConfig, client.Options{Scheme: scheme})
	if err != nil {
		return err
	}
	at, key := container.Key(namespace, name)
	events, err := c.Watch(ctx, &corev1.SecretList{}, client.InNamespace(at), client.MatchingFields{"metadata.name": key})
	if err != nil {
		return err
	}
	defer events.Stop()
	for event := range events.ResultChan() {
		if order, is := event.Object.(*corev1.Secret); is && event.Type != watch.Deleted && when(order) {
			before := order.DeepCopy()
			change(order)
			return c.Patch(ctx, order, client.MergeFrom(before))
		}
	}
	return fmt.Errorf("no order: %w", ctx.Err())
}

func report(r container.Report) func(*corev1.Secret) {
	return func(order *corev1.Secret) {
		if order.Annotations == nil {
			order.Annotations = map[string]string{}
		}
		order.Annotations[container.ReportAnnotation] = r.Encode()
	}
}

func always(*corev1.Secret) bool { return true }

func TestContainerDriver(t *testing.T) {
	driver := localmachine.NewDriver(seed, "gardener")
	request := containerRequest("node-c1")
	want := machine.Instance{
		ProviderID: "local:///" + namespace + "/node-c1", NodeName: "node-c1",
		Addresses: []corev1.NodeAddress{{Type: corev1.NodeHostName, Address: "node-c1"}, {Type: corev1.NodeInternalIP, Address: "172.18.0.9"}},
	}
	running := container.Report{State: container.Running, IP: "172.18.0.9", Container: "c", ContainerID: "1"}

	t.Run("EXT-11 knows no container before it is ordered", func(t *testing.T) {
		if _, err := driver.Status(t.Context(), request); !machine.IsNotFound(err) {
			t.Errorf("status is %v, want not found", err)
		}
	})
	t.Run("EXT-11 refuses a class without a node image, and an unknown runtime", func(t *testing.T) {
		for _, spec := range []api.MachineSpec{{Runtime: api.Containers}, {Runtime: "vm"}} {
			wrong := containerRequest("node-c0")
			wrong.Class.ProviderSpec.Raw = api.Encode(spec).Raw
			if _, err := driver.Create(t.Context(), wrong); machine.CodeOf(err) != machine.InvalidArgument {
				t.Errorf("error for %+v is %v, want an invalid argument", spec, err)
			}
		}
	})
	t.Run("EXT-11 orders a container and returns when the host reports that it runs", func(t *testing.T) {
		hostReports(t, "node-c1", always, report(running))
		for range 2 { // the second time it is there
			got, err := driver.Create(t.Context(), request)
			if err != nil {
				t.Fatalf("create: %v", err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("instance (-want +got):\n%s", diff)
			}
		}
		order, err := container.OrderOf(readOrder(t.Context(), "node-c1"))
		if err != nil {
			t.Fatal(err)
		}
		wantOrder := container.Order{
			Namespace: namespace, Machine: "node-c1", Class: "containers", Node: "node-c1", ProviderID: want.ProviderID, Image: "kindest/node:v1.36.3", UserData: []byte("boot"),
		}
		if diff := cmp.Diff(wantOrder, order); diff != "" {
			t.Errorf("order (-want +got):\n%s", diff)
		}
	})
	t.Run("EXT-11 lists the containers of the class", func(t *testing.T) {
		got, err := driver.List(t.Context(), machine.Request{Class: request.Class})
		if diff := cmp.Diff(map[string]string{want.ProviderID: "node-c1"}, got); err != nil || diff != "" {
			t.Errorf("machines are %v, %v", got, err)
		}
	})
	t.Run("EXT-11 asks the host to start a container that stopped", func(t *testing.T) {
		hostReports(t, "node-c1", always, report(container.Report{State: container.Stopped, ContainerID: "1"}))
		eventually(t, "it is known as stopped", func() bool {
			got, err := driver.Status(t.Context(), request)
			return err == nil && got.Stopped
		})
		asked := func(order *corev1.Secret) bool { return order.Annotations[container.StartAnnotation] != "" }
		hostReports(t, "node-c1", asked, func(order *corev1.Secret) {
			again := running
			again.Start = order.Annotations[container.StartAnnotation]
			report(again)(order)
		})
		if err := driver.Start(t.Context(), request); err != nil {
			t.Fatalf("start: %v", err)
		}
		if err := driver.Start(t.Context(), request); err != nil { // runs already
			t.Fatalf("start again: %v", err)
		}
	})
	t.Run("EXT-11 a container that vanished is a machine that does not exist", func(t *testing.T) {
		order := readOrder(t.Context(), "node-c1")
		before := order.DeepCopy()
		report(container.Report{State: container.Gone, ContainerID: "1"})(order)
		if err := seed.Patch(t.Context(), order, client.MergeFrom(before)); err != nil {
			t.Fatal(err)
		}
		if _, err := driver.Status(t.Context(), request); !machine.IsNotFound(err) {
			t.Errorf("status is %v, want not found", err)
		}
	})
	t.Run("EXT-11 returns from removal when the host has let go, also when nothing is there", func(t *testing.T) {
		hostReports(t, "node-c1", func(order *corev1.Secret) bool { return order.DeletionTimestamp != nil }, func(order *corev1.Secret) {
			controllerutil.RemoveFinalizer(order, container.Finalizer)
		})
		for range 2 {
			if err := driver.Delete(t.Context(), request); err != nil {
				t.Fatalf("delete: %v", err)
			}
		}
		if readOrder(t.Context(), "node-c1") != nil {
			t.Error("the order is still there")
		}
	})
}

func TestReports(t *testing.T) {
	secret := container.Order{Namespace: "ns", Machine: "m"}.Secret()
	if got := container.ReportOf(secret); got.State != "" {
		t.Errorf("an order without a report has %+v", got)
	}
	secret.Annotations = map[string]string{container.ReportAnnotation: "nonsense"}
	if got := container.ReportOf(secret); got.State != "" {
		t.Errorf("nonsense became %+v", got)
	}
	if _, err := container.OrderOf(secret); err == nil {
		t.Error("an order without its fields was accepted")
	}
}
