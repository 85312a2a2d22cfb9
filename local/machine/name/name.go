// Package name makes the names of the provider's machines, for machines of every kind.
package name

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// scheme begins the provider's names for machines.
const scheme = "local:///"

// limit is the maximum length of a host name, and so of the label kubernetes.io/hostname of a Node.
const limit = 63

// PodPrefix is followed by the name of a Machine in the name of its pod, if it is a pod.
const PodPrefix = "machine-"

// ProviderID is the provider's name for a machine.
func ProviderID(namespace, machine string) string {
	return scheme + namespace + "/" + machine
}

// OfProviderID is the inverse of ProviderID. Users of a cluster can write any text: ok is false unless both are names of Kubernetes objects.
func OfProviderID(id string) (namespace, machine string, ok bool) {
	rest, ok := strings.CutPrefix(id, scheme)
	if !ok || len(rest) > validation.DNS1123LabelMaxLength+len("/")+validation.DNS1123SubdomainMaxLength {
		return "", "", false
	}
	namespace, machine, ok = strings.Cut(rest, "/")
	if !ok || len(validation.IsDNS1123Label(namespace)) > 0 || len(validation.IsDNS1123Subdomain(machine)) > 0 {
		return "", "", false
	}
	return namespace, machine, true
}

// OfNode is the name of the Machine, shortened to the limit of host names.
func OfNode(machine string) string { return Shortened(machine) }

// Shortened is a name cut to the limit of host names. A hash stands for the part that was cut off.
func Shortened(name string) string {
	if len(name) <= limit {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	const hashLength = 5
	return name[:limit-hashLength-1] + "-" + hex.EncodeToString(sum[:])[:hashLength]
}
