package webhook

import (
	"net"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
)

// Way is how the API servers of a cluster call the webhooks of a process. The zero value is for API servers on the same machine, which
// call its loopback address.
type Way struct {
	// Service leads to what Listen accepts connections from. Both are set, or none.
	Service *admissionregistrationv1.ServiceReference
	Listen  func() (net.Listener, error)
}

// listen opens what the server accepts connections from.
func (s *Server) listen() (net.Listener, error) {
	if s.Listen != nil {
		return s.Listen()
	}
	return net.Listen("tcp", s.BindAddress)
}
