package server

import (
	"slices"
	"testing"
)

func TestAddresses(t *testing.T) {
	for address, want := range map[string][]string{
		"10.1.2.3:8080":   {"10.1.2.3:8080", "127.0.0.1:8080"},
		"[fd00::1]:8080":  {"[fd00::1]:8080", "127.0.0.1:8080"},
		"127.64.1.2:8080": {"127.64.1.2:8080"},
		":8080":           {":8080"},
		"0.0.0.0:8080":    {"0.0.0.0:8080"},
	} {
		if got := addresses(address); !slices.Equal(got, want) {
			t.Errorf("addresses for %s are %v, want %v", address, got, want)
		}
	}
}
