package registry

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
)

// withoutProtobuf is what resources negotiate: their types have no protobuf form, and a client that would rather have it
// but takes JSON, too, must get JSON instead of an error after its request has been carried out.
type withoutProtobuf struct{ runtime.NegotiatedSerializer }

// SupportedMediaTypes implements runtime.NegotiatedSerializer.
func (s withoutProtobuf) SupportedMediaTypes() []runtime.SerializerInfo {
	return slices.DeleteFunc(slices.Clone(s.NegotiatedSerializer.SupportedMediaTypes()), func(info runtime.SerializerInfo) bool {
		return info.MediaType == runtime.ContentTypeProtobuf
	})
}
