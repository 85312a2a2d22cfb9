package admissioncontroller

import (
	"encoding/json"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// slim removes the fields that no check reads, which are most of them, from objects in the cache.
func slim(object any) (any, error) {
	known, ok := object.(client.Object)
	if !ok {
		return object, nil
	}
	known.SetManagedFields(nil)
	known.SetAnnotations(nil)
	switch o := known.(type) {
	case *gardencorev1beta1.Shoot:
		o.Spec.Provider = gardencorev1beta1.Provider{}
		o.Status = gardencorev1beta1.ShootStatus{SeedName: o.Status.SeedName, TechnicalID: o.Status.TechnicalID}
	case *gardencorev1beta1.ControllerDeployment:
		o.ProviderConfig.Raw = withoutChart(o.ProviderConfig.Raw)
	case *gardencorev1beta1.Seed:
		o.Status = gardencorev1beta1.SeedStatus{}
	}
	return object, nil
}

// withoutChart keeps only where a chart is. The chart itself can have a MiB.
func withoutChart(raw []byte) []byte {
	var where struct {
		OCIRepository json.RawMessage `json:"ociRepository,omitempty"`
	}
	if json.Unmarshal(raw, &where) != nil {
		return nil
	}
	slim, err := json.Marshal(where)
	if err != nil {
		return nil
	}
	return slim
}
