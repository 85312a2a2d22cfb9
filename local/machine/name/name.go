// Package name makes the names of the provider's machines, for machines of every kind.
package name

import (
	"crypto/sha256"
	"encoding/hex"
)

// limit is the maximum length of a host name, and so of the label kubernetes.io/hostname of a Node.
const limit = 63

// ProviderID is the provider's name for a machine.
func ProviderID(namespace, machine string) string {
	return "local:///" + namespace + "/" + machine
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
