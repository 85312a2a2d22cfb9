package csrapprover

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"slices"
	"strings"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
)

const (
	nodeUserPrefix = "system:node:"
	nodesGroup     = "system:nodes"
)

// NodeName returns the name of the node that requested the certificate, according to the API server. It is empty if the
// requester is not a node.
func NodeName(request *certificatesv1.CertificateSigningRequest) string {
	name, isNode := strings.CutPrefix(request.Spec.Username, nodeUserPrefix)
	if !isNode {
		return ""
	}
	return name
}

// Decide returns nil if a kubelet's request for a serving certificate may be approved, or else the reason why not. The
// subject must be the requesting node itself, the usages those of a server, and all names and addresses must belong to
// the node.
func Decide(request *certificatesv1.CertificateSigningRequest, node *corev1.Node) error {
	certificate, err := parse(request.Spec.Request)
	if err != nil {
		return err
	}
	subject := certificate.Subject
	switch {
	case subject.CommonName != request.Spec.Username:
		return fmt.Errorf("common name %q is not the requester %q", subject.CommonName, request.Spec.Username)
	case subject.CommonName != nodeUserPrefix+node.Name:
		return fmt.Errorf("common name %q is not that of node %q", subject.CommonName, node.Name)
	case !slices.Equal(subject.Organization, []string{nodesGroup}):
		return fmt.Errorf("organization %v is not %q", subject.Organization, nodesGroup)
	case len(certificate.EmailAddresses)+len(certificate.URIs) > 0:
		return fmt.Errorf("email addresses and URIs are not allowed")
	case len(certificate.DNSNames)+len(certificate.IPAddresses) == 0:
		return fmt.Errorf("neither a DNS name nor an address is asked for")
	}
	if err := checkUsages(request.Spec.Usages); err != nil {
		return err
	}
	return checkNames(certificate, node)
}

func parse(raw []byte) (*x509.CertificateRequest, error) {
	block, _ := pem.Decode(raw)
	if block == nil || block.Type != "CERTIFICATE REQUEST" {
		return nil, fmt.Errorf("no PEM block of a certificate request")
	}
	certificate, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("parse certificate request: %w", err)
	}
	return certificate, nil
}

func checkUsages(usages []certificatesv1.KeyUsage) error {
	allowed := []certificatesv1.KeyUsage{certificatesv1.UsageDigitalSignature, certificatesv1.UsageKeyEncipherment, certificatesv1.UsageServerAuth}
	for _, usage := range usages {
		if !slices.Contains(allowed, usage) {
			return fmt.Errorf("usage %q is not allowed", usage)
		}
	}
	if !slices.Contains(usages, certificatesv1.UsageServerAuth) {
		return fmt.Errorf("usage %q is missing", certificatesv1.UsageServerAuth)
	}
	return nil
}

func checkNames(certificate *x509.CertificateRequest, node *corev1.Node) error {
	var names, addresses []string
	for _, address := range node.Status.Addresses {
		switch address.Type {
		case corev1.NodeInternalIP, corev1.NodeExternalIP:
			addresses = append(addresses, address.Address)
		default:
			names = append(names, address.Address)
		}
	}
	for _, name := range certificate.DNSNames {
		if !slices.Contains(names, name) {
			return fmt.Errorf("DNS name %q does not belong to node %q", name, node.Name)
		}
	}
	for _, ip := range certificate.IPAddresses {
		if !slices.Contains(addresses, ip.String()) {
			return fmt.Errorf("address %q does not belong to node %q", ip, node.Name)
		}
	}
	return nil
}
