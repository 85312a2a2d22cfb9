package servers

import (
	"slices"
	"testing"

	"github.com/gardener-up/gardener-up/appliance/pki"
)

// A server that takes the kubelet's port gets no requests of the seed's API server, which carry what users type in their pods.
func TestSeedVerifiesItsKubelet(t *testing.T) {
	in := Inputs{Access: Access{PKI: &pki.Bundle{}}}
	in.PKI.Seed.CA = "ca.crt"
	if flags := in.seedFlags(storage{}).Args(); !slices.Contains(flags, "--kubelet-certificate-authority=ca.crt") {
		t.Errorf("the API server of the seed verifies nobody: %q", flags)
	}
}
