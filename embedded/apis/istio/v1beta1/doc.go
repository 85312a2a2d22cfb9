// Package v1beta1 holds the part of the group networking.istio.io that gardenlets write and the front door reads:
// a Gateway opens a port, a VirtualService routes TLS connections by server name. It is not the whole of those kinds; fields
// that are missing here are kept by the API server, but lost by a client that updates through these types.
//
// +kubebuilder:object:generate=true
// +groupName=networking.istio.io
package v1beta1
