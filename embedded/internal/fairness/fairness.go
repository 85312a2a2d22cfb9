// Package fairness holds the FlowSchemas and PriorityLevelConfigurations of a landscape. They put the landscape's own users before all
// others, and share out fairly what the others get.
//
// The kube-apiserver makes and keeps these objects together with its own suggested ones: it makes each that is missing, and restores
// each that differs, once a minute, unless an operator has set the annotation apf.kubernetes.io/autoupdate-spec to "false".
package fairness

import (
	"slices"
	"sync"

	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	"k8s.io/apiserver/pkg/util/flowcontrol"

	"github.com/gardener-up/gardener-up/embedded/internal/peruser"
)

// Enable adds the objects to those that kube-apiservers of this process suggest. It must be called before the first of them starts.
// The process of a shoot's kube-apiserver must not call it.
var Enable = sync.OnceFunc(func() {
	bootstrap.SuggestedPriorityLevelConfigurations = append(bootstrap.SuggestedPriorityLevelConfigurations, levels()...)
	bootstrap.SuggestedFlowSchemas = append(bootstrap.SuggestedFlowSchemas, schemas()...)
})

// Bound is a server's priority and fairness, with so many seats, in which no user takes a level from others by requests that end late.
// The limits are those of tenants.
func Bound(next flowcontrol.Interface, limits peruser.Limits, all int) flowcontrol.Interface {
	for _, level := range []string{leaderElection, Landscape} {
		next = peruser.Limits{Seats: seats(level, all), Borrows: true}.Fair(next, level)
	}
	limits.Seats = seats(Tenants, all)
	return limits.Fair(next, Tenants)
}

// seats is how many of a server's seats, which are the requests that it serves at a time, belong to a level.
func seats(of string, all int) int {
	Enable()
	var shares, sum int
	for _, level := range slices.Concat(bootstrap.MandatoryPriorityLevelConfigurations, bootstrap.SuggestedPriorityLevelConfigurations) {
		if limited := level.Spec.Limited; limited != nil { // the level exempt has no shares
			sum += int(*limited.NominalConcurrencyShares)
			if level.Name == of {
				shares = int(*limited.NominalConcurrencyShares)
			}
		}
	}
	return (all*shares + sum - 1) / sum // rounded up, as priority and fairness does
}
