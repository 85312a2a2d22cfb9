package componentconfig

import "cmp"

// ClientConnection configures the client of a cluster for a component that already has its access to the cluster.
type ClientConnection struct {
	Kubeconfig string `json:"kubeconfig,omitempty" effect:"none"` // no effect: the process already has its access
	Requests   `json:",inline"`
}

// Requests configures the requests of a client.
type Requests struct {
	AcceptContentTypes string  `json:"acceptContentTypes,omitempty" effect:"none"`
	ContentType        string  `json:"contentType,omitempty" effect:"none"`
	QPS                float32 `json:"qps,omitempty"`   // requests per second
	Burst              int32   `json:"burst,omitempty"` // requests above QPS for a short time
}

// SetDefaults limits requests that have no limit.
func (r *Requests) SetDefaults(qps float32, burst int32) {
	r.QPS = cmp.Or(r.QPS, qps)
	r.Burst = cmp.Or(r.Burst, burst)
}

// Validate adds mistakes. The path is the key of the connection.
func (r Requests) Validate(m *Mistakes, path string) {
	m.Add(r.QPS < 0, "%s.qps must not be negative", path)
	m.Add(r.Burst < 0, "%s.burst must not be negative", path)
}
