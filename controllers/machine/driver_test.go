package machine_test

import (
	"context"
	"fmt"
	"maps"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	contractmachine "github.com/gardener-up/gardener-up/providers/contract/machine"
)

// driver is a provider made of a map. Machines become ready nodes at once, unless the driver is told otherwise.
type driver struct {
	target client.Client

	mu       sync.Mutex
	machines map[string]string // name to state
	failure  error             // of Create
	log      []string
}

func (d *driver) Create(ctx context.Context, request contractmachine.Request) (contractmachine.Instance, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.failure != nil {
		return contractmachine.Instance{}, d.failure
	}
	name := request.Machine.Name
	if string(request.Secret[contractmachine.UserDataKey]) == "" {
		return contractmachine.Instance{}, contractmachine.Errorf(contractmachine.InvalidArgument, "no user data")
	}
	if _, exists := d.machines[name]; !exists {
		d.machines[name] = "running"
		d.log = append(d.log, "create")
		if err := d.setReady(ctx, name, corev1.ConditionTrue); err != nil {
			return contractmachine.Instance{}, err
		}
	}
	return contractmachine.Instance{ProviderID: "test://" + name, NodeName: name}, nil
}

func (d *driver) Start(ctx context.Context, request contractmachine.Request) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.machines[request.Machine.Name] = "running"
	d.log = append(d.log, "start")
	return d.setReady(ctx, request.Machine.Name, corev1.ConditionTrue)
}

func (d *driver) Status(_ context.Context, request contractmachine.Request) (contractmachine.Instance, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	name := request.Machine.Name
	state, exists := d.machines[name]
	if !exists {
		return contractmachine.Instance{}, contractmachine.Errorf(contractmachine.NotFound, "no machine %s", name)
	}
	return contractmachine.Instance{ProviderID: "test://" + name, NodeName: name, Stopped: state == "stopped"}, nil
}

func (d *driver) Delete(ctx context.Context, request contractmachine.Request) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	pods := &corev1.PodList{}
	if err := d.target.List(ctx, pods); err != nil {
		return err
	}
	d.log = append(d.log, fmt.Sprintf("delete with %d pods", len(pods.Items)))
	delete(d.machines, request.Machine.Name)
	return nil
}

func (d *driver) List(context.Context, contractmachine.Request) (map[string]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := map[string]string{}
	for name := range d.machines {
		out["test://"+name] = name
	}
	return out, nil
}

// set changes the state of a machine, empty for gone, and the readiness of its node.
func (d *driver) set(ctx context.Context, name, state string, ready corev1.ConditionStatus) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.machines[name] = state
	if state == "" {
		delete(d.machines, name)
	}
	return d.setReady(ctx, name, ready)
}

func (d *driver) fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.failure = err
}

func (d *driver) has() map[string]string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.machines)
}

func (d *driver) did() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	log := d.log
	d.log = nil
	return log
}

func (d *driver) setReady(ctx context.Context, name string, ready corev1.ConditionStatus) error {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if err := d.target.Create(ctx, node.DeepCopy()); err != nil && client.IgnoreAlreadyExists(err) != nil {
		return err
	}
	before := node.DeepCopy()
	node.Status.Conditions = []corev1.NodeCondition{{
		Type: corev1.NodeReady, Status: ready, Reason: "Test", LastTransitionTime: metav1.Now(), LastHeartbeatTime: metav1.Now(),
	}}
	return d.target.Status().Patch(ctx, node, client.MergeFrom(before))
}
