// Package core answers questions about objects of core.gardener.cloud: is this shoot hibernated, does it tolerate that
// seed, which code has this error. The functions are pure; reading and writing of objects, and how conditions change
// over time, are the business of servers and controllers. Everyone may import it, usually as corehelper.
package core
