// Package connectivity tells whether the pods of a Shoot reach each other. A pod on each node serves a request that names addresses: it
// connects to each of them and answers which it reached. The pods decide nothing and know no API; package network chooses the addresses.
// A policy lets only the control plane and these pods themselves connect to them, since they connect to what they are told.
package connectivity
