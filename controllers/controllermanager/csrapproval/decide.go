// Package csrapproval approves the certificates that gardenlets request when they join a garden or renew their access. Each
// requester gets the certificate of its own seed only. Unclear requests wait for an operator.
package csrapproval

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"slices"
	"strings"

	certificatesv1 "k8s.io/api/certificates/v1"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// SeedOf returns the name of the seed whose gardenlet a client certificate is requested for. For other requests the error
// says which rule the request breaks. They are left to other approvers.
func SeedOf(request *certificatesv1.CertificateSigningRequest) (string, error) {
	block, _ := pem.Decode(request.Spec.Request)
	if block == nil || block.Type != "CERTIFICATE REQUEST" {
		return "", fmt.Errorf("no PEM block of a certificate request")
	}
	certificate, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil {
		return "", fmt.Errorf("parse certificate request: %w", err)
	}
	seed, hasPrefix := strings.CutPrefix(certificate.Subject.CommonName, constants.SeedUserNamePrefix)
	switch {
	case !slices.Equal(certificate.Subject.Organization, []string{constants.SeedsGroup}):
		return "", fmt.Errorf("organization is not %q", constants.SeedsGroup)
	case !hasPrefix || seed == "":
		return "", fmt.Errorf("common name does not begin with %q", constants.SeedUserNamePrefix)
	case len(certificate.DNSNames)+len(certificate.IPAddresses)+len(certificate.EmailAddresses)+len(certificate.URIs) > 0:
		return "", fmt.Errorf("alternative names are not allowed")
	}
	return seed, checkUsages(request.Spec.Usages)
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
