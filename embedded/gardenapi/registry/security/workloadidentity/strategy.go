package workloadidentity

import (
	"context"
	"strings"

	security "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
	validation "github.com/gardener-up/gardener-up/embedded/apivalidation/security"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

func strategy() resource.Strategy[*security.WorkloadIdentity] {
	return resource.Strategy[*security.WorkloadIdentity]{
		Namespaced: true,
		Spec:       resource.Field(func(o *security.WorkloadIdentity) *security.WorkloadIdentitySpec { return &o.Spec }),
		PrepareCreate: func(_ context.Context, w *security.WorkloadIdentity) {
			w.Status.Sub = strings.Join([]string{"gardener.cloud:workloadidentity", w.Namespace, w.Name, string(w.UID)}, ":")
		},
		PrepareUpdate: func(_ context.Context, w, old *security.WorkloadIdentity) bool { // there is no subresource status
			w.Status = old.Status
			return false
		},
		Validate:       validation.ValidateWorkloadIdentity,
		ValidateUpdate: validation.ValidateWorkloadIdentityUpdate,
	}
}
