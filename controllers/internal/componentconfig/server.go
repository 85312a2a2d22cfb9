package componentconfig

import (
	"cmp"
	"net"
	"os"
	"strconv"
)

// Server says on which addresses a component listens. Addresses that are not configured are not served.
type Server struct {
	// HealthProbes serves /healthz and /readyz over HTTP.
	HealthProbes *Listener `json:"healthProbes,omitempty"`
	// Metrics serves /metrics over HTTP.
	Metrics *Listener `json:"metrics,omitempty"`
}

// Listener is an address to listen on.
type Listener struct {
	BindAddress string `json:"bindAddress,omitempty"` // empty: all addresses; PodIP: that of the pod
	Port        int    `json:"port,omitempty"`
}

// HTTPSListener is a Listener with a certificate.
type HTTPSListener struct {
	Listener `json:",inline"`
	// TLS names the files of the certificate. Without them the component makes a certificate at its start.
	TLS *TLSFiles `json:"tls,omitempty"`
}

// TLSFiles is a serving certificate; both files are required.
type TLSFiles struct {
	ServerCertPath string `json:"serverCertPath"`
	ServerKeyPath  string `json:"serverKeyPath"`
}

// SetDefaults sets the ports of configured listeners.
func (s *Server) SetDefaults(healthProbes, metrics int) {
	if s.HealthProbes != nil {
		s.HealthProbes.Port = cmp.Or(s.HealthProbes.Port, healthProbes)
	}
	if s.Metrics != nil {
		s.Metrics.Port = cmp.Or(s.Metrics.Port, metrics)
	}
}

// Validate adds mistakes.
func (s Server) Validate(m *Mistakes) {
	s.HealthProbes.Validate(m, "server.healthProbes")
	s.Metrics.Validate(m, "server.metrics")
}

// Validate adds the mistakes of a Listener, which may be nil. The path is its key.
func (l *Listener) Validate(m *Mistakes, path string) {
	m.Add(l != nil && (l.Port < 0 || l.Port > 65535), "%s.port must be between 0 and 65535", path)
}

// Validate adds the mistakes of an HTTPSListener, which may be nil. The path is its key.
func (l *HTTPSListener) Validate(m *Mistakes, path string) {
	if l == nil {
		return
	}
	l.Listener.Validate(m, path)
	if l.TLS != nil {
		m.Add(l.TLS.ServerCertPath == "", "%s.tls.serverCertPath is required", path)
		m.Add(l.TLS.ServerKeyPath == "", "%s.tls.serverKeyPath is required", path)
	}
}

// PodIP as an address stands for that of the pod, as it does in arguments of containers. Files cannot name it otherwise.
const PodIP = "$(POD_IP)"

// Address is the address to listen on. If the environment names no address of a pod, nobody can listen on it.
func (l Listener) Address() string {
	host := l.BindAddress
	if address := os.Getenv("POD_IP"); host == PodIP && address != "" {
		host = address
	}
	return net.JoinHostPort(host, strconv.Itoa(l.Port))
}
