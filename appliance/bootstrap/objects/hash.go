package objects

import (
	"crypto/sha256"
	"encoding/hex"
)

// hash replaces the pods of a Deployment when the content of what they mount changes.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:16]
}
