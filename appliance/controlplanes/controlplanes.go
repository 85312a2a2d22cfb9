// Package controlplanes reports whether the control planes of a seed's shoots serve now. The conditions of a Shoot report the same
// to its users, but later.
package controlplanes

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/loop"
)

// PartName is the name of the part of the first seed. In remote seeds, the name of the seed follows.
const PartName = "control-planes"

// Part watches the workloads of all control planes of a seed. It is ready while it can read them. It warns that requests are refused
// while a workload that served before does not serve. A workload that is only restarting gets a moment first.
type Part struct {
	*loop.Loop
	cluster func() (Readers, error)

	mu   sync.Mutex
	seen seen
	ill  ill
	ails string
}

// Readers of a seed. Workloads should be read from a cache. Pods are read only for workloads that do not serve.
type Readers struct{ Workloads, Pods client.Reader }

// New returns the part of this name. It asks cluster for the readers of the seed before each check.
func New(name string, cluster func() (Readers, error)) *Part {
	p := &Part{cluster: cluster, seen: seen{}}
	p.Loop = loop.New(name, func(ctx context.Context) error {
		<-ctx.Done()
		return nil
	}, p.look)
	return p
}

// Warning implements component.Warner.
func (p *Part) Warning() (text string, refuses bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ails, p.ails != ""
}

func (p *Part) look(ctx context.Context) error {
	readers, err := p.cluster()
	if err != nil {
		return err
	}
	cluster := readers.Workloads
	deployments, sets := &appsv1.DeploymentList{}, &appsv1.StatefulSetList{}
	err = errors.Join(cluster.List(ctx, deployments, client.UnsafeDisableDeepCopy), cluster.List(ctx, sets, client.UnsafeDisableDeepCopy))
	if err != nil {
		return fmt.Errorf("list the workloads of control planes: %w", err)
	}
	var all []workload
	for i := range deployments.Items {
		all = append(all, ofDeployment(&deployments.Items[i]))
	}
	for i := range sets.Items {
		all = append(all, ofSet(&sets.Items[i]))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var ailing []workload
	p.seen, ailing = p.seen.judge(all)
	p.ill, ailing = p.ill.note(ailing, time.Now(), func(w workload) bool { return hangs(ctx, readers.Pods, w) })
	p.ails = text(ailing)
	return nil
}

// hangs looks at the pods of a workload. If it cannot, the workload is given the time.
func hangs(ctx context.Context, reader client.Reader, w workload) bool {
	selector, err := metav1.LabelSelectorAsSelector(w.pods)
	if err != nil {
		return false
	}
	pods := &corev1.PodList{}
	if err := reader.List(ctx, pods, client.InNamespace(w.namespace), client.MatchingLabelsSelector{Selector: selector}); err != nil {
		return false
	}
	return hang(pods.Items, time.Now())
}
