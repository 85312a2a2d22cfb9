package kubeapi

import (
	"fmt"
	"net/http"
	"reflect"
	"unsafe"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/kubernetes/plugin/pkg/admission/imagepolicy"

	"github.com/gardener-up/gardener-up/embedded/guardeddial"
)

// images guards the client of ImagePolicyWebhook. The plugin takes no dialer and keeps its client to itself, so this reads
// its field. It panics if a new version of Kubernetes has no such field: an API server without the guard must not start.
func (g *guard) images(plugin *imagepolicy.Plugin) {
	field := reflect.ValueOf(plugin).Elem().FieldByName("webhook")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*webhook.GenericWebhook]() {
		panic("imagepolicy.Plugin has no field webhook that can be guarded")
	}
	client := (*(**webhook.GenericWebhook)(unsafe.Pointer(field.UnsafeAddr()))).RestClient.Client
	if client == nil || client.Transport == nil {
		return // http.DefaultTransport, which is guarded
	}
	transport := client.Transport
	for {
		wrapper, ok := transport.(utilnet.RoundTripperWrapper)
		if !ok {
			break
		}
		transport = wrapper.WrappedRoundTripper()
	}
	plain, ok := transport.(*http.Transport)
	if !ok {
		panic(fmt.Sprintf("the transport of ImagePolicyWebhook is a %T, which cannot be guarded", transport))
	}
	plain.DialContext, plain.Proxy = g.rules.DialContext, guardeddial.NoProxy
}
