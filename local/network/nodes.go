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

// told is what the nodes of a shoot tell. It does not grow with what users of the shoot write.
type told struct {
	now    time.Time
	all    map[corev1.NodeConditionType]*bool // whether it is so on all nodes that tell something
	silent few                                // names of nodes that tell nothing
	stale  few                                // sentences about nodes that have stopped telling
	ill    few                                // sentences
	failed few                                // sentences about connections
}

// few are the first texts that were added.
type few []string

func (f *few) add(format string, values ...any) {
	if len(*f) < mostSaid {
		*f = append(*f, fmt.Sprintf(format, values...))
	}
}

func (t *told) add(node *corev1.Node) {
	serves := first(node, networkcondition.Serves)
	if serves == nil {
		t.silent.add("%s", node.Name)
		return
	}
	last := serves.LastHeartbeatTime.Time
	switch age := t.now.Sub(last); {
	case age > networkcondition.Stale: // it may have just started again
		t.stale.add("node %s has told nothing about its network since %s", node.Name, last.UTC().Format(time.RFC3339))
		return
	case age < -networkcondition.Stale: // it would be believed until then
		t.stale.add("node %s tells about its network in the future, at %s", node.Name, last.UTC().Format(time.RFC3339))
		return
	}
	for _, kind := range []corev1.NodeConditionType{networkcondition.Serves, networkcondition.NameServer, networkcondition.Pods, networkcondition.Services} {
		into := &t.ill
		if kind == networkcondition.Pods || kind == networkcondition.Services {
			into = &t.failed
		}
		condition := first(node, kind)
		if condition == nil || condition.Status == corev1.ConditionUnknown {
			continue
		}
		good := condition.Status == corev1.ConditionTrue
		if !good {
			into.add("node %s: %s is not true: %.200s", node.Name, kind, condition.Message)
		}
		if before := t.all[kind]; before == nil || *before {
			t.all[kind] = &good
		}
	}
}

// first is the first condition of a type; nil if there is none. API servers accept several.
func first(node *corev1.Node, kind corev1.NodeConditionType) *corev1.NodeCondition {
	at := slices.IndexFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == kind })
	if at < 0 {
		return nil
	}
	return &node.Status.Conditions[at]
}

// report fills the status and judges it.
func (t *told) report(status *api.NetworkStatus) healthcheck.Finding {
	if len(t.all) == 0 && len(t.stale) > 0 {
		unmeasured(status, said(t.stale))
		return unknown(t.stale)
	}
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
	missing := slices.Clone(t.stale)
	for _, name := range t.silent {
		missing = append(missing, "node "+name+" tells nothing about its network yet")
	}
	if len(missing) > 0 {
		status.NotMeasured = said(missing)
	}
	switch {
	case len(t.ill) > 0:
		return bad("PodNetworkUnhealthy", said(t.ill))
	case len(t.failed) > 0:
		return bad("ConnectivityTestFailed", said(t.failed))
	case len(t.stale) > 0:
		return unknown(missing)
	}
	return healthcheck.Finding{
		Status: gardencorev1beta1.ConditionTrue, Reason: "NetworkHealthy", Message: "All nodes connect their pods. Pods reach other pods and Services, as far as they were tried.",
	}
}

func unknown(why []string) healthcheck.Finding {
	return healthcheck.Finding{Status: gardencorev1beta1.ConditionUnknown, Reason: "NetworkNotTold", Message: "The health is unknown: " + said(why) + "."}
}

func said(problems []string) string {
	slices.Sort(problems)
	return strings.Join(problems[:min(len(problems), mostSaid)], "; ")
}
