package kubeapi

import (
	"testing"

	"github.com/gardener-up/gardener-up/embedded/guardeddial"
)

// An authorization webhook is dialled by the direct way of the egress selector.
func TestGuardDirect(t *testing.T) {
	before := directDialer
	defer func() { directDialer = before }()
	if err := guardDirect(guardeddial.Rules{}); err != nil {
		t.Errorf("APP-19 authorization webhooks: %v", err)
	}
	if err := guardDirect(guardeddial.Rules{Hosts: []string{"*"}}); err == nil {
		t.Error("rules that allow everything count as a guard")
	}
}
