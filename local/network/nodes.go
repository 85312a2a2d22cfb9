package network

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/node/networkcondition"
	"github.com/gardener-up/gardener-up/embedded/pages"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/providers/healthcheck"
)

const (
	// component is the part of embedded nodes that connects their pods, module the one that answers names.
	component, module = "pod-network", "name-server"
	// mostNodes is how many nodes are looked at, mostSaid how many problems the condition tells.
	mostNodes, mostSaid = 1000, 3
)

// examineNodes judges by what embedded nodes tell in their conditions.
func examineNodes(ctx context.Context, shoot client.Reader, status *api.NetworkStatus, now time.Time) (healthcheck.Finding, error) {
	told := told{now: now, all: map[corev1.NodeConditionType]*bool{}}
	for page, err := range pages.Of(ctx, shoot, &corev1.NodeList{}, mostNodes) {
		if err != nil {
			return healthcheck.Finding{}, fmt.Errorf("list nodes of the shoot: %w", err)
		}
		for i := range page.Items {
			if usable(&page.Items[i]) {
				told.add(&page.Items[i])
			}
		}
	}
	return told.report(status), nil
}

// told is what the nodes of a shoot tell.
type told struct {
	now    time.Time
	all    map[corev1.NodeConditionType]*bool // whether it is so on all nodes that tell something
	silent []string                           // names of nodes that tell nothing
	ill    []string                           // sentences
	failed []string                           // sentences about connections
}

func (t *told) add(node *corev1.Node) {
	if !slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == networkcondition.Serves }) {
		t.silent = append(t.silent, node.Name)
		return
	}
	for _, condition := range node.Status.Conditions {
		into := &t.ill
		switch condition.Type {
		case networkcondition.Serves, networkcondition.NameServer:
		case networkcondition.Pods, networkcondition.Services:
			into = &t.failed
		default:
			continue
		}
		if t.now.Sub(condition.LastHeartbeatTime.Time) > networkcondition.Stale {
			condition.Status = corev1.ConditionFalse
			condition.Message = "nothing was told since " + condition.LastHeartbeatTime.UTC().Format(time.RFC3339)
		}
		if condition.Status == corev1.ConditionUnknown {
			continue
		}
		good := condition.Status == corev1.ConditionTrue
		if !good {
			*into = append(*into, fmt.Sprintf("node %s: %s is not true: %.200s", node.Name, condition.Type, condition.Message))
		}
		if before := t.all[condition.Type]; before == nil || *before {
			t.all[condition.Type] = &good
		}
	}
}

// report fills the status and judges it.
func (t *told) report(status *api.NetworkStatus) healthcheck.Finding {
	if len(t.all) == 0 {
		why := "no node is ready"
		if len(t.silent) > 0 {
			why = fmt.Sprintf("node %s tells nothing about its network: it simulates containers, or has just started", t.silent[0])
		}
		unmeasured(status, why)
		return healthcheck.Finding{Status: gardencorev1beta1.ConditionTrue, Reason: "NetworkNotMeasured", Message: "Nothing was measured: " + why + "."}
	}
	status.NotMeasured = ""
	status.Components, status.NetworkModules = map[string]bool{}, map[string]bool{}
	for kind, into := range map[corev1.NodeConditionType]func(bool){
		networkcondition.Serves:     func(good bool) { status.Components[component] = good },
		networkcondition.NameServer: func(good bool) { status.NetworkModules[module] = good },
	} {
		if good := t.all[kind]; good != nil {
			into(*good)
		}
	}
	status.ConnectivityTests = &api.ConnectivityTests{Pods: t.all[networkcondition.Pods], Services: t.all[networkcondition.Services]}
	if len(t.silent) > 0 {
		status.NotMeasured = "node " + strings.Join(t.silent[:min(len(t.silent), mostSaid)], ", ") + " tells nothing about its network yet"
	}
	switch {
	case len(t.ill) > 0:
		return bad("PodNetworkUnhealthy", said(t.ill))
	case len(t.failed) > 0:
		return bad("ConnectivityTestFailed", said(t.failed))
	}
	return healthcheck.Finding{
		Status: gardencorev1beta1.ConditionTrue, Reason: "NetworkHealthy", Message: "All nodes connect their pods. Pods reach other pods and Services, as far as they were tried.",
	}
}

func said(problems []string) string {
	slices.Sort(problems)
	return strings.Join(problems[:min(len(problems), mostSaid)], "; ")
}
