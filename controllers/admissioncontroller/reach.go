package admissioncontroller

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
)

// Reach is how API servers reach the admission controller: through a Service or else by a URL.
type Reach struct {
	Service *admissionregistrationv1.ServiceReference
	URL     string // https://host:port
	// CAFile has signed the certificate in CertFile. If it does not exist, the certificate is its own CA.
	CAFile, CertFile string
}

// Config returns the client configuration for webhooks, without a path.
func (r Reach) Config() (admissionregistrationv1.WebhookClientConfig, error) {
	bundle, err := os.ReadFile(r.CAFile)
	if errors.Is(err, fs.ErrNotExist) && r.CertFile != "" {
		bundle, err = os.ReadFile(r.CertFile)
	}
	if err != nil {
		return admissionregistrationv1.WebhookClientConfig{}, fmt.Errorf("read CA of the admission controller: %w", err)
	}
	if r.Service != nil {
		return admissionregistrationv1.WebhookClientConfig{Service: r.Service, CABundle: bundle}, nil
	}
	return admissionregistrationv1.WebhookClientConfig{URL: &r.URL, CABundle: bundle}, nil
}
