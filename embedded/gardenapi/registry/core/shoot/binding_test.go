package shoot

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestBinding(t *testing.T) {
	for name, tc := range map[string]struct {
		before, after core.ShootSpec
		errors        int
	}{
		"a seed is chosen": {after: core.ShootSpec{SeedName: ptr.To("a")}},
		"admission adds the ranges of services to a shoot without workers": {
			after: core.ShootSpec{SeedName: ptr.To("a"), Networking: &core.Networking{Services: ptr.To("100.64.0.0/13")}},
		},
		"admission adds ranges and a domain": {
			before: core.ShootSpec{Networking: &core.Networking{Type: ptr.To("calico")}},
			after: core.ShootSpec{
				SeedName: ptr.To("a"), DNS: &core.DNS{Domain: ptr.To("a.example.org")},
				Networking: &core.Networking{Type: ptr.To("calico"), Pods: ptr.To("100.96.0.0/11"), Services: ptr.To("100.64.0.0/13")},
			},
		},
		"nobody adds a type of networking": {after: core.ShootSpec{SeedName: ptr.To("a"), Networking: &core.Networking{Type: ptr.To("calico")}}, errors: 1},
		"ranges that were given stay":      {before: core.ShootSpec{Networking: &core.Networking{Pods: ptr.To("a")}}, after: core.ShootSpec{SeedName: ptr.To("a"), Networking: &core.Networking{Pods: ptr.To("b")}}, errors: 1},
		"nothing but the seed changes":     {after: core.ShootSpec{SeedName: ptr.To("a"), Region: "b"}, errors: 1},
		"a shoot is not taken from a seed": {before: core.ShootSpec{SeedName: ptr.To("a")}, errors: 1},
		"the same seed is no binding":      {before: core.ShootSpec{SeedName: ptr.To("a")}, after: core.ShootSpec{SeedName: ptr.To("a")}, errors: 1},
	} {
		t.Run(name, func(t *testing.T) {
			errs := bindingStrategy{}.ValidateUpdate(t.Context(), &core.Shoot{Spec: tc.after}, &core.Shoot{Spec: tc.before})
			if len(errs) != tc.errors {
				t.Errorf("errors %v, want %d", errs, tc.errors)
			}
		})
	}
}

func TestMove(t *testing.T) {
	on := func(spec, status string, kind core.LastOperationType, state core.LastOperationState) *core.Shoot {
		shoot := &core.Shoot{Spec: core.ShootSpec{SeedName: &spec}, Status: core.ShootStatus{LastOperation: &core.LastOperation{Type: kind, State: state}}}
		if status != "" {
			shoot.Status.SeedName = &status
		}
		return shoot
	}
	deleted := on("a", "a", "Reconcile", "Succeeded")
	deleted.DeletionTimestamp = &metav1.Time{}
	for name, tc := range map[string]struct {
		before  *core.Shoot
		to      string
		refused bool
	}{
		"MIG-1 a control plane that runs moves":                       {before: on("a", "a", "Reconcile", "Succeeded"), to: "b"},
		"MIG-1 also one whose last reconciliation failed":             {before: on("a", "a", "Reconcile", "Failed"), to: "b"},
		"MIG-1 a shoot that was never created does not move":          {before: on("a", "a", "Create", "Error"), to: "b", refused: true},
		"MIG-1 a shoot that no seed holds does not move":              {before: on("a", "", "Create", "Processing"), to: "b", refused: true},
		"a move that has not begun is taken back":                     {before: on("b", "a", "Reconcile", "Succeeded"), to: "a"},
		"a move that has not begun does not change its goal":          {before: on("b", "a", "Reconcile", "Succeeded"), to: "c", refused: true},
		"a move that has begun is not taken back":                     {before: on("b", "a", "Migrate", "Processing"), to: "a", refused: true},
		"between the seeds there is no way back":                      {before: on("b", "", "Migrate", "Succeeded"), to: "a", refused: true},
		"a restoration is finished first":                             {before: on("b", "b", "Restore", "Error"), to: "a", refused: true},
		"a restored control plane moves back":                         {before: on("b", "b", "Restore", "Succeeded"), to: "a"},
		"a shoot that is being deleted stays":                         {before: deleted, to: "b", refused: true},
		"MIG-1 a shoot whose creation was the last operation is able": {before: on("a", "a", "Create", "Succeeded"), to: "b"},
	} {
		t.Run(name, func(t *testing.T) {
			after := tc.before.DeepCopy()
			after.Spec.SeedName = &tc.to
			errs := bindingStrategy{}.ValidateUpdate(t.Context(), after, tc.before)
			if (len(errs) > 0) != tc.refused {
				t.Errorf("errors %v, refused should be %t", errs, tc.refused)
			}
		})
	}
}
