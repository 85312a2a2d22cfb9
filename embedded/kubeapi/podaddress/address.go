package podaddress

import (
	"net/netip"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/discovery"
)

const (
	loopback = 127 // the first byte of an address
	standIn  = 0   // that of its stand-in: "this network", whose addresses no pod can have
)

// swapped replaces the first byte of an IPv4 address, if it is from, and if the second is not 0.
func swapped(text string, from, to byte) string {
	address, err := netip.ParseAddr(text)
	if err != nil || !address.Is4() {
		return text
	}
	bytes := address.As4()
	if bytes[0] != from || bytes[1] == 0 {
		return text
	}
	bytes[0] = to
	return netip.AddrFrom4(bytes).String()
}

// hide replaces addresses by their stand-ins.
func hide(object runtime.Object) {
	each(object, func(address *string) { *address = swapped(*address, loopback, standIn) })
}

// restore replaces stand-ins by their addresses.
func restore(object runtime.Object) {
	each(object, func(address *string) { *address = swapped(*address, standIn, loopback) })
}

// each calls do with all addresses of an object.
func each(object runtime.Object, do func(address *string)) {
	switch o := object.(type) {
	case *discovery.EndpointSlice:
		if o.AddressType != discovery.AddressTypeIPv4 {
			return
		}
		for i := range o.Endpoints {
			for j := range o.Endpoints[i].Addresses {
				do(&o.Endpoints[i].Addresses[j])
			}
		}
	case *core.Endpoints:
		for i := range o.Subsets {
			for _, list := range [][]core.EndpointAddress{o.Subsets[i].Addresses, o.Subsets[i].NotReadyAddresses} {
				for j := range list {
					do(&list[j].IP)
				}
			}
		}
	}
}

// changes reports whether the addresses of an object differ from those of the former object. Otherwise the API does not validate them.
func changes(former, object runtime.Object) bool {
	switch o := object.(type) {
	case *discovery.EndpointSlice:
		f, ok := former.(*discovery.EndpointSlice)
		return !ok || !apiequality.Semantic.DeepEqual(f.Endpoints, o.Endpoints)
	case *core.Endpoints:
		f, ok := former.(*core.Endpoints)
		return !ok || !apiequality.Semantic.DeepEqual(f.Subsets, o.Subsets)
	}
	return false
}
