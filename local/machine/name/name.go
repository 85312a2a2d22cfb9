// Package name holds what machines of the provider local are called, whatever they are made of.
package name

import (
	"crypto/sha256"
	"encoding/hex"
)

// limit is the most that a host name, and so the label kubernetes.io/hostname of a Node, may have.
const limit = 63

// ProviderID is the provider's name for a machine.
func ProviderID(namespace, machine string) string {
	return "local:///" + namespace + "/" + machine
}

// OfNode is the name of the Machine, shortened to what a host name may have.
func OfNode(machine string) string { return Shortened(machine) }

// Shortened is a name cut to what a host name may have; what is cut off is told by a hash.
func Shortened(name string) string {
	if len(name) <= limit {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	const hashLength = 5
	return name[:limit-hashLength-1] + "-" + hex.EncodeToString(sum[:])[:hashLength]
}
