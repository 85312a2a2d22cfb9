package gardenapi

import (
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"net"
	"strconv"
	"time"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"

	"github.com/gardener-up/gardener-up/embedded/certificate"
	"github.com/gardener-up/gardener-up/embedded/polled"
)

// loopbackValidity is longer than the life of any process.
const loopbackValidity = 10 * 365 * 24 * time.Hour

// serve opens the port. The generic options could do it too, but they create an RSA key for the loopback client at every
// start, which costs more than everything else here.
func serve(config *genericapiserver.Config, c Config) error {
	cert, err := dynamiccertificates.NewDynamicServingContentFromFiles("serving-cert", c.CertFile, c.KeyFile)
	if err != nil {
		return fmt.Errorf("read serving certificate: %w", err)
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(c.BindAddress, strconv.Itoa(c.Port)))
	if err != nil {
		return err
	}
	config.SecureServing = &genericapiserver.SecureServingInfo{Listener: listener, Cert: polled.Pair(cert)}
	config.PublicAddress = net.ParseIP(c.BindAddress)
	if err := addLoopback(config); err != nil {
		listener.Close()
		return err
	}
	return nil
}

// addLoopback lets the server call itself with all rights. It uses a random token and a certificate for a name that
// exists only inside the server.
func addLoopback(config *genericapiserver.Config) error {
	certPEM, keyPEM, err := selfSigned(genericapiserver.LoopbackClientServerNameOverride)
	if err != nil {
		return fmt.Errorf("make loopback certificate: %w", err)
	}
	sni, err := dynamiccertificates.NewStaticSNICertKeyContent("loopback", certPEM, keyPEM, genericapiserver.LoopbackClientServerNameOverride)
	if err != nil {
		return fmt.Errorf("use loopback certificate: %w", err)
	}
	config.SecureServing.SNICerts = []dynamiccertificates.SNICertKeyContentProvider{sni}
	config.LoopbackClientConfig, err = config.SecureServing.NewLoopbackClientConfig(rand.Text(), certPEM)
	return err
}

func selfSigned(name string) (certPEM, keyPEM []byte, err error) {
	now := time.Now()
	pair, err := certificate.SelfSigned(&x509.Certificate{
		Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(loopbackValidity),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true, IsCA: true,
	})
	if err != nil {
		return nil, nil, err
	}
	return pair.PEM()
}
