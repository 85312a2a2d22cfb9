// Package endpointslicehints keeps traffic within a zone. It offers every endpoint to clients of its own zone, whatever
// Kubernetes would compute from the number of nodes.
package endpointslicehints

import (
	"context"

	discoveryv1 "k8s.io/api/discovery/v1"
)

// Mutate sets the hints of all endpoints that have a zone.
func Mutate(_ context.Context, slice *discoveryv1.EndpointSlice) error {
	for i := range slice.Endpoints {
		if zone := slice.Endpoints[i].Zone; zone != nil && *zone != "" {
			slice.Endpoints[i].Hints = &discoveryv1.EndpointHints{ForZones: []discoveryv1.ForZone{{Name: *zone}}}
		}
	}
	return nil
}
