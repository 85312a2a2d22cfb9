package node

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net"
	"path/filepath"
	"time"

	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
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
	certificate, key, err := selfSigned(c.Name, c.NodeIP.AsSlice())
	if err != nil {
		return fmt.Errorf("make serving certificate of kubelet: %w", err)
	}
	if err := keyutil.WriteKey(keyFile, key); err != nil {
		return fmt.Errorf("write serving key of kubelet: %w", err)
	}
	if err := cert.WriteCert(certFile, certificate); err != nil {
		return fmt.Errorf("write serving certificate of kubelet: %w", err)
	}
	return nil
}

func selfSigned(name string, ip net.IP) (certificate, key []byte, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name}, DNSNames: []string{name}, IPAddresses: []net.IP{ip},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(10, 0, 0), // for lack of anybody who renews it
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true, IsCA: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		return nil, nil, err
	}
	if key, err = keyutil.MarshalPrivateKeyToPEM(private); err != nil {
		return nil, nil, err
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, nil, err
	}
	certificate, err = cert.EncodeCertificates(parsed)
	return certificate, key, err
}
