// Package conformance tests all kinds of the Gardener API together: full manifests, defaults, round trips and fuzzing.
// It has nothing but tests, and needs no server; embedded/gardenapi/integration applies the same manifests to one.
package conformance
