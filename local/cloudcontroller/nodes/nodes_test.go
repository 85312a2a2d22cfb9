package nodes

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

const space = "shoot--sky--sun"

func TestRemoval(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		t.Fatal(err)
	}
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: space, Name: name} }
	worker := func(kind gardencorev1beta1.LastOperationType, state gardencorev1beta1.LastOperationState) *extensionsv1alpha1.Worker {
		w := &extensionsv1alpha1.Worker{ObjectMeta: meta("sun")}
		w.Status.LastOperation = &gardencorev1beta1.LastOperation{Type: kind, State: state}
		return w
	}
	done := worker("Reconcile", "Succeeded")
	for name, tc := range map[string]struct {
		providerID string
		ready      corev1.ConditionStatus
		seed       []client.Object
		removed    bool
		again      bool
	}{
		"GLT-30 a node whose machine is gone":                       {"local:///" + space + "/m", "Unknown", []client.Object{done}, true, false},
		"GLT-30 not one that is ready":                              {"local:///" + space + "/m", "True", []client.Object{done}, false, false},
		"GLT-30 not one that its Machine will remove":               {"local:///" + space + "/m", "Unknown", []client.Object{done, &machinev1alpha1.Machine{ObjectMeta: meta("m")}}, false, true},
		"GLT-30 not one whose pod is still there":                   {"local:///" + space + "/m", "False", []client.Object{done, &corev1.Pod{ObjectMeta: meta("machine-m")}}, false, true},
		"GLT-30 not one of another cluster":                         {"local:///shoot--sky--moon/m", "Unknown", []client.Object{done}, false, false},
		"GLT-30 not one of another provider":                        {"aws:///" + space + "/m", "Unknown", []client.Object{done}, false, false},
		"GLT-30 not one that nobody made":                           {"", "Unknown", []client.Object{done}, false, false},
		"GLT-30 not one whose machine is no name":                   {"local:///" + space + "/../" + space + "/m", "Unknown", []client.Object{done}, false, false},
		"GLT-30 MIG-3 not while machines are being restored":        {"local:///" + space + "/m", "Unknown", []client.Object{worker("Restore", "Processing")}, false, true},
		"GLT-30 MIG-3 not before machines are restored":             {"local:///" + space + "/m", "Unknown", nil, false, true},
		"GLT-30 MIG-3 not after machines have moved away":           {"local:///" + space + "/m", "Unknown", []client.Object{worker("Migrate", "Succeeded")}, false, true},
		"GLT-30 MIG-3 one that was lost while the cluster moved":    {"local:///" + space + "/m", "Unknown", []client.Object{worker("Restore", "Succeeded")}, true, false},
		"GLT-30 not before the machines of a new cluster are known": {"local:///" + space + "/m", "Unknown", []client.Object{worker("Create", "Processing")}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", UID: "1"}, Spec: corev1.NodeSpec{ProviderID: tc.providerID}}
			node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeDiskPressure, Status: "False"}, {Type: corev1.NodeReady, Status: tc.ready}}
			shoot := fake.NewClientBuilder().WithScheme(scheme).WithObjects(node).Build()
			r := &Reconciler{Shoot: shoot, Seed: fake.NewClientBuilder().WithScheme(scheme).WithObjects(tc.seed...).Build(), Namespace: space}
			result, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(node)})
			if err != nil {
				t.Fatal(err)
			}
			err = shoot.Get(t.Context(), client.ObjectKeyFromObject(node), node)
			if (err != nil) != tc.removed || (result.RequeueAfter > 0) != tc.again {
				t.Errorf("removed: %v, looks again after %v", err, result.RequeueAfter)
			}
		})
	}
}

func TestFewNodesAreLookedAtAgain(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		t.Fatal(err)
	}
	shoot := fake.NewClientBuilder().WithScheme(scheme).Build()
	machine := &machinev1alpha1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "m"}}
	r := &Reconciler{Shoot: shoot, Seed: fake.NewClientBuilder().WithScheme(scheme).WithObjects(machine).Build(), Namespace: space}
	again, bounded := 0, r.bounded()
	for i := range mostAgain + 10 {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("n", i)}, Spec: corev1.NodeSpec{ProviderID: "local:///" + space + "/m"}}
		if err := shoot.Create(t.Context(), node); err != nil {
			t.Fatal(err)
		}
		result, err := bounded.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(node)})
		if err != nil {
			t.Fatal(err)
		}
		if result.RequeueAfter > 0 {
			again++
		}
	}
	if again != mostAgain {
		t.Errorf("GLT-30 %d nodes that are not ready are looked at again, want %d", again, mostAgain)
	}
}
