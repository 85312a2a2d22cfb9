package bastion

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	operations "github.com/gardener-up/gardener-up/embedded/apis/operations/v1alpha1"
	validation "github.com/gardener-up/gardener-up/embedded/apivalidation/operations"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/internal/operation"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/internal/seedlabels"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

// Rules are the settings of the server that the strategy needs.
type Rules struct {
	// TTL is the lifetime of a bastion after its last heartbeat.
	TTL time.Duration
}

func (r Rules) strategy() resource.Strategy[*operations.Bastion] {
	return resource.Strategy[*operations.Bastion]{
		Namespaced: true,
		Spec:       resource.Field(func(o *operations.Bastion) *operations.BastionSpec { return &o.Spec }),
		Status:     resource.Field(func(o *operations.Bastion) *operations.BastionStatus { return &o.Status }),
		PrepareCreate: func(_ context.Context, b *operations.Bastion) {
			seedlabels.Set(b, b.Spec.SeedName)
			r.keepAlive(b)
		},
		PrepareUpdate: func(_ context.Context, b, _ *operations.Bastion) bool {
			seedlabels.Set(b, b.Spec.SeedName)
			if operation.Take(b, constants.GardenerOperationKeepalive) {
				r.keepAlive(b)
			}
			return operation.TakeReconcile(b)
		},
		Validate:       validation.ValidateBastion,
		ValidateUpdate: validation.ValidateBastionUpdate,
		ValidateStatus: validation.ValidateBastionStatusUpdate,
	}
}

func (r Rules) keepAlive(b *operations.Bastion) {
	now := metav1.Now()
	end := metav1.NewTime(now.Add(r.TTL))
	b.Status.LastHeartbeatTimestamp, b.Status.ExpirationTimestamp = &now, &end
}
