//go:build !linux

package noexec

import "errors"

// Forbid is for Linux only.
func Forbid() error { return errors.New("programs can be forbidden on Linux only") }

// ForbidRemoval is for Linux only.
func ForbidRemoval() error { return errors.New("removal can be forbidden on Linux only") }
