package certificate

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
)

const (
	typeCertificate = "CERTIFICATE"
	typeKey         = "EC PRIVATE KEY"
)

var (
	errNoCertificate = errors.New("read certificate: no PEM block CERTIFICATE")
	errNoKey         = errors.New("read key: no PEM block with an EC or RSA key")
)

// Encode returns a PEM block for each certificate.
func Encode(certs ...*x509.Certificate) []byte {
	var text []byte
	for _, cert := range certs {
		text = append(text, pem.EncodeToMemory(&pem.Block{Type: typeCertificate, Bytes: cert.Raw})...)
	}
	return text
}

// EncodeKey returns the PEM block EC PRIVATE KEY.
func EncodeKey(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("encode key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: typeKey, Bytes: der}), nil
}

// Parse reads the first certificate of a PEM text.
func Parse(text []byte) (*x509.Certificate, error) {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != typeCertificate {
			continue
		}
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("read certificate: %w", err)
		}
		return cert, nil
	}
	return nil, errNoCertificate
}

// ParseKey reads the first key of a PEM text: EC or RSA, in the key's own format or in PKCS #8. It skips other blocks, such as the
// parameters of the curve that openssl writes.
func ParseKey(text []byte) (crypto.Signer, error) {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if key, err := x509.ParseECPrivateKey(block.Bytes); err == nil {
			return key, nil
		}
		if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
			return key, nil
		}
		if key, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
			if signer, ok := key.(crypto.Signer); ok {
				return signer, nil
			}
		}
	}
	return nil, errNoKey
}

// ParseAuthority reads an authority. Its key may also be an RSA key, because authorities may come from elsewhere.
func ParseAuthority(cert, key []byte) (Authority, error) {
	parsed, err := Parse(cert)
	if err != nil {
		return Authority{}, err
	}
	signer, err := ParseKey(key)
	return Authority{Cert: parsed, Key: signer}, err
}
