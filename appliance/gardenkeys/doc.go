// Package gardenkeys rotates the keys and authorities of the garden of a landscape, whose API servers are parts of this process. Package pki keeps the
// keys; the API servers read them again while they serve.
package gardenkeys
