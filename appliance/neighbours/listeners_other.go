//go:build !linux

package neighbours

import "net/netip"

// Listeners returns nothing: only Linux has embedded seeds.
func Listeners() ([]netip.Addr, error) { return nil, nil }
