package fastjson

import (
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// negotiated offers the media types of another one.
type negotiated struct {
	runtime.NegotiatedSerializer
	types []runtime.SerializerInfo
}

// Negotiated offers what another one does, but kinds that live in scheme's groups and are ours are written faster.
func Negotiated(standard runtime.NegotiatedSerializer, scheme *runtime.Scheme) runtime.NegotiatedSerializer {
	kinds := map[reflect.Type]bool{}
	for _, kind := range scheme.AllKnownTypes() {
		if strings.HasPrefix(kind.PkgPath(), ours) {
			kinds[kind] = true
		}
	}
	out := negotiated{standard, slices.Clone(standard.SupportedMediaTypes())}
	for i := range out.types {
		if info := &out.types[i]; info.MediaType == runtime.ContentTypeJSON {
			info.Serializer = jsonSerializer{info.Serializer, kinds}
			streamed := *info.StreamSerializer
			streamed.Serializer = jsonSerializer{streamed.Serializer, kinds}
			info.StreamSerializer = &streamed
		}
	}
	return out
}

// ours is where types come from that are known to be written like encoding/json does: a test compares them all.
const ours = "github.com/gardener-up/gardener-up/embedded/apis/"

func (n negotiated) SupportedMediaTypes() []runtime.SerializerInfo { return n.types }
