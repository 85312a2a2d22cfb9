// Package kubeversion contains the version of Kubernetes that is linked into this binary. hack/generate makes it from go.mod, and a
// test compares both; no other file names the version. The version that servers report (k8s.io/component-base/version) is set when
// the binary is linked and missing in tests. The package imports nothing, and everyone may import it.
package kubeversion

// Version is the version with a leading v, as git tags and kubelets name it.
const Version = "v" + Number
