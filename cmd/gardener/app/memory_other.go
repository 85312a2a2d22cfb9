//go:build !linux

package app

// unmapStart is for Linux only.
func unmapStart() {}
