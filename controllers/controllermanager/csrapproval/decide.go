// Package csrapproval approves the certificates that gardenlets ask for when they join a garden or renew their access.
package csrapproval

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"slices"
	"strings"

	certificatesv1 "k8s.io/api/certificates/v1"
)

const (
	seedUserPrefix = "gardener.cloud:system:seed:"
	seedsGroup     = "gardener.cloud:system:seeds"
)

// IsSeedClient returns nil when a gardenlet requests a client certificate for its seed. Otherwise the error says which
// rule the request breaks. Such requests are left to other approvers.
func IsSeedClient(request *certificatesv1.CertificateSigningRequest) error {
	block, _ := pem.Decode(request.Spec.Request)
	if block == nil || block.Type != "CERTIFICATE REQUEST" {
		return fmt.Errorf("no PEM block of a certificate request")
	}
	certificate, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil {
		return fmt.Errorf("parse certificate request: %w", err)
	}
	seed, hasPrefix := strings.CutPrefix(certificate.Subject.CommonName, seedUserPrefix)
	switch {
	case !slices.Equal(certificate.Subject.Organization, []string{seedsGroup}):
		return fmt.Errorf("organization is not %q", seedsGroup)
	case !hasPrefix || seed == "":
		return fmt.Errorf("common name does not begin with %q", seedUserPrefix)
	case len(certificate.DNSNames)+len(certificate.IPAddresses)+len(certificate.EmailAddresses)+len(certificate.URIs) > 0:
		return fmt.Errorf("alternative names are not allowed")
	}
	return checkUsages(request.Spec.Usages)
}

func checkUsages(usages []certificatesv1.KeyUsage) error {
	allowed := []certificatesv1.KeyUsage{certificatesv1.UsageDigitalSignature, certificatesv1.UsageKeyEncipherment, certificatesv1.UsageClientAuth}
	for _, usage := range usages {
		if !slices.Contains(allowed, usage) {
			return fmt.Errorf("usage %q is not allowed", usage)
		}
	}
	if !slices.Contains(usages, certificatesv1.UsageClientAuth) || !slices.Contains(usages, certificatesv1.UsageDigitalSignature) {
		return fmt.Errorf("usages %q and %q are needed", certificatesv1.UsageClientAuth, certificatesv1.UsageDigitalSignature)
	}
	return nil
}
