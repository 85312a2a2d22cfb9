package endpointslicehints

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/utils/ptr"
)

func TestMutate(t *testing.T) {
	slice := &discoveryv1.EndpointSlice{Endpoints: []discoveryv1.Endpoint{
		{Zone: ptr.To("a"), Hints: &discoveryv1.EndpointHints{ForZones: []discoveryv1.ForZone{{Name: "b"}}}}, {Zone: nil},
	}}
	if err := Mutate(t.Context(), slice); err != nil {
		t.Fatal(err)
	}
	want := []discoveryv1.Endpoint{
		{Zone: ptr.To("a"), Hints: &discoveryv1.EndpointHints{ForZones: []discoveryv1.ForZone{{Name: "a"}}}}, {},
	}
	if diff := cmp.Diff(want, slice.Endpoints); diff != "" {
		t.Errorf("endpoints (-want +got):\n%s", diff)
	}
}
