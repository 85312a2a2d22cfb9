package resourcemanager

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/config"
)

func TestWorkersOfTheFile(t *testing.T) {
	for name, tc := range map[string]struct {
		controllers string
		want        []int // ManagedResources, tokens, root certificates, requests for certificates, nodes, static tokens
	}{
		"defaults": {"{rootCAPublisher: {enabled: true, rootCAFile: a}, tokenInvalidator: {enabled: true}}", []int{5, 5, 1, 1, 5, 5}},
		"each controller has its own number": {
			`{managedResource: {concurrentSyncs: 2}, tokenRequestor: {concurrentSyncs: 3}, rootCAPublisher: {enabled: true, rootCAFile: a, concurrentSyncs: 4},
csrApprover: {concurrentSyncs: 6}, nodeCriticalComponents: {concurrentSyncs: 7}, tokenInvalidator: {enabled: true, concurrentSyncs: 8}}`, []int{2, 3, 4, 6, 7, 8},
		},
		"former names": {"{kubeletCSRApprover: {enabled: true, concurrentSyncs: 9}, node: {enabled: true, concurrentSyncs: 10}}", []int{5, 5, 1, 9, 10, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			file, err := config.Decode([]byte("apiVersion: " + config.APIVersion + "\nkind: " + config.Kind + "\ncontrollers: " + tc.controllers + "\n"))
			if err != nil {
				t.Fatal(err)
			}
			o := newOptions()
			o.apply(file)
			c := o.withDefaults()
			got := []int{c.ConcurrentSyncs, c.TokenRequestorSyncs, c.RootCASyncs, c.CSRApproverSyncs, c.NodeSyncs, c.TokenInvalidatorSyncs}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("workers (-want +got):\n%s", diff)
			}
		})
	}
}
