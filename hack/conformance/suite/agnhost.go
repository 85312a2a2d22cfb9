//go:build tools

package suite

// Programs that the conformance runner compiles in this module.
import (
	_ "k8s.io/kubernetes/cmd/kubectl"
	_ "k8s.io/kubernetes/test/images/agnhost"
)
