package componentconfig

import (
	"cmp"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/gardener-up/gardener-up/embedded/incluster"
)

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

// Client configures a client of the cluster that the kubeconfig file leads to. Without a file it is the cluster of the pod, with
// the pod's service account.
func (r Requests) Client(kubeconfig, userAgent string) (config *rest.Config, err error) {
	if kubeconfig == "" {
		config, _, err = incluster.Config()
	} else {
		config, err = clientcmd.BuildConfigFromFlags("", kubeconfig)
	}
	if err != nil {
		return nil, err
	}
	config.UserAgent, config.QPS, config.Burst = userAgent, r.QPS, int(r.Burst)
	return config, nil
}
