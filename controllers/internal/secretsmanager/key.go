package secretsmanager

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/pem"
	"fmt"

	"github.com/gardener-up/gardener-up/embedded/certificate"
)

// Key describes a private key without a certificate. Data: id_rsa and id_rsa.pub.
type Key struct {
	Name string
	// RSABits asks for an RSA key. Zero means ECDSA P-256, which is much cheaper to make.
	RSABits int
	// SSH writes the public half as a line of an authorized_keys file instead of PEM; it needs RSABits.
	SSH bool
}

func (k Key) name() string { return k.Name }

func (k Key) generate(input) (map[string][]byte, error) {
	if k.RSABits == 0 {
		return k.generateECDSA()
	}
	key, err := rsa.GenerateKey(rand.Reader, k.RSABits)
	if err != nil {
		return nil, fmt.Errorf("generate key %q: %w", k.Name, err)
	}
	private := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	if k.SSH {
		return map[string][]byte{KeyRSAPrivate: private, KeyRSAPublic: authorizedKey(&key.PublicKey)}, nil
	}
	public, err := encodePublic(&key.PublicKey)
	return map[string][]byte{KeyRSAPrivate: private, KeyRSAPublic: public}, err
}

func (k Key) generateECDSA() (map[string][]byte, error) {
	key, err := certificate.NewKey()
	if err != nil {
		return nil, fmt.Errorf("generate key %q: %w", k.Name, err)
	}
	private, err := certificate.EncodeKey(key)
	if err != nil {
		return nil, err
	}
	public, err := encodePublic(&key.PublicKey)
	return map[string][]byte{KeyRSAPrivate: private, KeyRSAPublic: public}, err
}

// bundle holds the public and private halves, since verifiers of signatures accept either.
func (k Key) bundle(current, old map[string][]byte) map[string][]byte {
	if k.SSH {
		return nil
	}
	return map[string][]byte{KeyBundle: joinPEM(current[KeyRSAPrivate], old[KeyRSAPrivate])}
}

func encodePublic(key any) ([]byte, error) {
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		return nil, fmt.Errorf("encode public key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), nil
}

// authorizedKey encodes the key as in RFC 4253, section 6.6: the name of the algorithm, exponent and modulus, each with
// its length.
func authorizedKey(key *rsa.PublicKey) []byte {
	var wire []byte
	field := func(data []byte) {
		wire = append(binary.BigEndian.AppendUint32(wire, uint32(len(data))), data...)
	}
	positive := func(data []byte) []byte { // a leading bit would make the number negative
		for len(data) > 1 && data[0] == 0 {
			data = data[1:]
		}
		if data[0]&0x80 != 0 {
			return append([]byte{0}, data...)
		}
		return data
	}
	field([]byte("ssh-rsa"))
	field(positive(binary.BigEndian.AppendUint32(nil, uint32(key.E))))
	field(positive(key.N.Bytes()))
	return []byte("ssh-rsa " + base64.StdEncoding.EncodeToString(wire) + "\n")
}
