package gardenlet

import (
	"fmt"
	"testing"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/config"
)

func TestOwnerChecks(t *testing.T) {
	for name, tc := range map[string]struct {
		gates string
		off   bool
	}{
		"MIG-13 seeds check owners":                       {"{}", false},
		"MIG-13 seeds without DNS records check no owner": {"{UseDNSRecords: false}", true},
	} {
		t.Run(name, func(t *testing.T) {
			configuration, err := config.Decode(fmt.Appendf(nil,
				"apiVersion: gardenlet.config.gardener.cloud/v1alpha1\nkind: GardenletConfiguration\nfeatureGates: %s\nseedConfig: {metadata: {name: a}}\n", tc.gates))
			if err != nil {
				t.Fatal(err)
			}
			if got := (Config{Configuration: configuration}).registration(nil, nil).NoOwnerChecks; got != tc.off {
				t.Errorf("checks are off: %v, want %v", got, tc.off)
			}
		})
	}
}
