//go:build tools

package suite

import _ "k8s.io/kubernetes/test/images/agnhost"
