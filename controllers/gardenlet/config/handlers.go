package config

import (
	"maps"
	"net"

	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Selector is the selector of the handler's Gateways: the labels of its ingress, and the labels that distinguish it from all other
// handlers.
func (h *ExposureClassHandler) Selector() map[string]string {
	labels := maps.Clone(h.SNI.Ingress.Labels)
	labels[constants.GardenRole] = constants.GardenRoleExposureClassHandler
	labels[constants.LabelExposureClassHandlerName] = h.Name
	return labels
}

// Address is the address that names of API servers behind the handler resolve to; it is empty if the configuration has
// none.
func (h *ExposureClassHandler) Address() string {
	return ptr.Deref(h.SNI.Ingress.ServiceExternalIP, "")
}

func (v *mistakes) handlers(handlers []ExposureClassHandler) {
	names := map[string]bool{}
	for i, handler := range handlers {
		v.Add(handler.Name == "", "exposureClassHandlers[%d].name is required", i)
		v.Add(names[handler.Name], "exposureClassHandlers[%d].name %q is there twice", i, handler.Name)
		names[handler.Name] = true
		if address := handler.Address(); address != "" {
			v.Add(net.ParseIP(address) == nil, "exposureClassHandlers[%d].sni.ingress.serviceExternalIP %q is not an IP address", i, address)
		}
	}
}
