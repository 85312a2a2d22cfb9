package node

import (
	"net/netip"
	"reflect"
	"testing"
)

func TestOutside(t *testing.T) {
	for name, want := range map[string]Outside{
		"closed":                         {},
		"public addresses":               {Public: true},
		"public addresses and a network": {Public: true, Private: []netip.Prefix{netip.MustParsePrefix("10.20.0.0/16")}},
		"public addresses and of IPv6":   {Public: true, Private: []netip.Prefix{netip.MustParsePrefix("10.20.0.0/16"), netip.MustParsePrefix("fd00:1::/32")}},
	} {
		t.Run("APP-14 a kubelet reads what it was told: "+name, func(t *testing.T) {
			got, err := parseOutside(want.String())
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
	t.Run("APP-14 without a word about public addresses the outside is closed", func(t *testing.T) {
		got, err := parseOutside("10.20.0.0/16")
		if err != nil || got.rules() != nil {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	t.Run("APP-14 a word that is no network is an error", func(t *testing.T) {
		if _, err := parseOutside("everything"); err == nil {
			t.Error("no error")
		}
	})
}
