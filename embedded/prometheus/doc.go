// Package prometheus starts the Prometheus that is embedded in this binary as a program of its own, see package program. The monitoring of seeds and
// shoots runs it.
package prometheus
