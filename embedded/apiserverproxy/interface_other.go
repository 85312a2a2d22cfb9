//go:build !linux

package apiserverproxy

import (
	"errors"
	"net/netip"
)

func takeAddress(netip.Addr) error { return errors.New("nodes need Linux") }
