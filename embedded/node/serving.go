package node

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"net"
	"path/filepath"
	"time"

	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
	"k8s.io/kubernetes/cmd/kubelet/app/options"

	"github.com/gardener-up/gardener-up/embedded/certificate"
)

// ensureServingCertificate makes a self-signed certificate where the kubelet would make one: with an elliptic key,
// since the kubelet's RSA keys cost a good part of a second.
func ensureServingCertificate(c Config, server *options.KubeletServer) error {
	if server.ServerTLSBootstrap || server.TLSCertFile != "" {
		return nil
	}
	certFile, keyFile := filepath.Join(c.CertDir, "kubelet.crt"), filepath.Join(c.CertDir, "kubelet.key")
	if ok, err := cert.CanReadCertAndKey(certFile, keyFile); err == nil && ok {
		return nil
	}
	serving, key, err := selfSigned(c.Name, c.NodeIP.AsSlice())
	if err != nil {
		return fmt.Errorf("make serving certificate of kubelet: %w", err)
	}
	if err := keyutil.WriteKey(keyFile, key); err != nil {
		return fmt.Errorf("write serving key of kubelet: %w", err)
	}
	if err := cert.WriteCert(certFile, serving); err != nil {
		return fmt.Errorf("write serving certificate of kubelet: %w", err)
	}
	return nil
}

// selfSigned makes a certificate that is good for ten years, since nothing renews it.
func selfSigned(name string, ip net.IP) (cert, key []byte, err error) {
	pair, err := certificate.SelfSigned(&x509.Certificate{
		Subject: pkix.Name{CommonName: name}, DNSNames: []string{name}, IPAddresses: []net.IP{ip},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(10, 0, 0),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true, IsCA: true,
	})
	if err != nil {
		return nil, nil, err
	}
	return pair.PEM()
}
