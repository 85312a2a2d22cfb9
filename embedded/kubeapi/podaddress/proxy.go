package podaddress

import (
	"context"
	"net/netip"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/kubernetes/pkg/apis/core"
)

// Restored is the address of a pod that a request for the subresource proxy dials, if the argument is a stand-in.
func Restored(address netip.Addr) (netip.Addr, bool) {
	restored := swapped(address.String(), standIn, loopback)
	if restored == address.String() {
		return address, false
	}
	return netip.MustParseAddr(restored), true
}

// proxying shows stand-ins to the subresource proxy of pods and Services. The API would refuse to connect to the addresses themselves.
type proxying struct{ storage.Interface }

// Get reads an object.
func (p proxying) Get(ctx context.Context, key string, options storage.GetOptions, out runtime.Object) error {
	if err := p.Interface.Get(ctx, key, options, out); err != nil || !proxied(ctx) {
		return err
	}
	hidden := out.DeepCopyObject() // a cache may share what is in the object
	switch o := hidden.(type) {
	case *core.Pod:
		for i := range o.Status.PodIPs {
			o.Status.PodIPs[i].IP = swapped(o.Status.PodIPs[i].IP, loopback, standIn)
		}
	default:
		hide(hidden)
	}
	reflect.ValueOf(out).Elem().Set(reflect.ValueOf(hidden).Elem())
	return nil
}

// proxied reports whether the request is one for the subresource proxy of a pod or Service.
func proxied(ctx context.Context) bool {
	info, ok := request.RequestInfoFrom(ctx)
	return ok && info.IsResourceRequest && info.APIGroup == "" && info.Subresource == "proxy" && (info.Resource == "pods" || info.Resource == "services")
}
