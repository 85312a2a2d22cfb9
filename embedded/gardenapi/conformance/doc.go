// Package conformance tests all kinds of the Gardener API together: full manifests, defaults, round trips and fuzzing.
// It contains only tests and needs no server. embedded/gardenapi/integration applies the same manifests to a server.
package conformance
