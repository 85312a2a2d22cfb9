package runtime

import (
	"errors"
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAddresses(t *testing.T) {
	a := newAddresses(netip.MustParsePrefix("127.64.0.0/29"), netip.MustParseAddr("127.64.0.1"))
	if !a.reserve(netip.MustParseAddr("127.64.0.3")) || a.reserve(netip.MustParseAddr("127.64.0.3")) {
		t.Error("an address cannot be reserved exactly once")
	}
	var got []string
	for range 3 {
		got = append(got, allocate(t, a))
	}
	a.release(netip.MustParseAddr("127.64.0.4"))
	got = append(got, allocate(t, a), allocate(t, a), allocate(t, a))
	want := []string{"127.64.0.4", "127.64.0.5", "127.64.0.6", "127.64.0.7", "127.64.0.2", "127.64.0.4"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order of addresses (-want +got):\n%s", diff)
	}
	if _, err := a.allocate(); !errors.Is(err, errNoAddress) {
		t.Errorf("a full range gives %v, want %v", err, errNoAddress)
	}
}

func allocate(t *testing.T, a *addresses) string {
	t.Helper()
	address, err := a.allocate()
	if err != nil {
		t.Fatal(err)
	}
	return address.String()
}
