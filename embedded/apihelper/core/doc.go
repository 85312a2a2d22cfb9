// Package core answers questions about objects of core.gardener.cloud: is this shoot hibernated, does it tolerate that
// seed, which code has this error. The functions are pure. The package does not read or write objects and does not track
// conditions over time: servers and controllers do. Everyone may import it, usually as corehelper.
package core
