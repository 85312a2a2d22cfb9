package shoot

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"sync"
	"time"

	"github.com/gardener-up/gardener-up/embedded/certificate"
)

// clockSkew is how far the clocks of other machines may be behind.
const clockSkew = time.Minute

// keyBits is the size of the keys. gardenlogin accepts only RSA keys in a PEM block RSA PRIVATE KEY.
const keyBits = 2048

// making is held while a key is made, which takes a processor for a third of a second: many requests must not take all processors.
var making sync.Mutex

func newKey() (*rsa.PrivateKey, error) {
	making.Lock()
	defer making.Unlock()
	key, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return nil, fmt.Errorf("generate key: %w", err)
	}
	return key, nil
}

// credentials are a client certificate with its key, in PEM.
type credentials struct {
	cert, key []byte
	notAfter  time.Time
}

// issue makes a client certificate. It expires after validity, or with its CA if that is earlier.
func issue(ca certificate.Authority, commonName, organization string, validity time.Duration) (*credentials, error) {
	now := time.Now().Truncate(time.Second)
	notAfter := now.Add(validity)
	if notAfter.After(ca.Cert.NotAfter) {
		notAfter = ca.Cert.NotAfter
	}
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	cert, err := ca.Sign(&x509.Certificate{
		Subject:     pkix.Name{CommonName: commonName, Organization: []string{organization}},
		NotBefore:   now.Add(-clockSkew),
		NotAfter:    notAfter,
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, key.Public())
	if err != nil {
		return nil, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	return &credentials{cert: certificate.Encode(cert), key: text, notAfter: notAfter}, nil
}
