//go:build !linux

package reexec

import "errors"

// Self fails: there is no way to keep the signal for the end of the parent.
func Self() error { return errors.New("a program can start again only on Linux") }
