package webhook

import (
	"bytes"
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"maps"
	"slices"
	"time"

	"github.com/gardener-up/gardener-up/embedded/certificate"
)

// Keys of the Secret with the certificates. The previous CA stays trusted, for processes that still use a certificate
// of it.
const (
	keyCA    = "ca.crt"
	keyOldCA = "ca-old.crt"
	keyCAKey = "ca.key"
	keyCert  = "tls.crt"
	keyKey   = "tls.key"
	// The next authority is trusted before it signs anything. See RenewAnnounced.
	keyNextCA    = "ca-next.crt"
	keyNextCAKey = "ca-next.key"
)

const (
	caLife     = 90 * 24 * time.Hour
	serverLife = 30 * 24 * time.Hour
	clockSkew  = time.Minute
)

// Renew returns certificates that are valid at the given time and for the hosts (names or addresses). It keeps the
// given certificates if they are valid, and otherwise makes new ones. It replaces unreadable content.
func Renew(current map[string][]byte, hosts []string, now time.Time) (data map[string][]byte, changed bool, err error) {
	ca, err := tls.X509KeyPair(current[keyCA], current[keyCAKey])
	if err != nil || worn(ca.Leaf, now) {
		if data, err = newAuthority(current[keyCA], now); err != nil {
			return nil, false, err
		}
		data, _, err = Renew(data, hosts, now)
		return data, true, err
	}
	return renewServer(current, ca, hosts, now)
}

// RenewAnnounced is Renew for API servers that learn of a new authority later than the server of the webhooks: the next authority is in the
// bundle for at least the given time before it signs a certificate. If the authority is unusable, it is replaced at once: by the next one if there is
// one, since some API servers know it already.
func RenewAnnounced(current map[string][]byte, hosts []string, now time.Time, announced time.Duration) (data map[string][]byte, changed bool, err error) {
	ca, err := tls.X509KeyPair(current[keyCA], current[keyCAKey])
	next, nextErr := tls.X509KeyPair(current[keyNextCA], current[keyNextCAKey])
	announces := nextErr == nil && !worn(next.Leaf, now)
	switch unusable := err != nil || now.Before(ca.Leaf.NotBefore) || now.After(ca.Leaf.NotAfter); {
	case unusable && announces:
		return promote(current, hosts, now)
	case unusable || !worn(ca.Leaf, now):
		return Renew(current, hosts, now)
	}
	if !announces {
		made, err := newAuthority(nil, now)
		if err != nil {
			return nil, false, err
		}
		data := maps.Clone(current)
		data[keyNextCA], data[keyNextCAKey] = made[keyCA], made[keyCAKey]
		data, _, err = renewServer(data, ca, hosts, now)
		return data, true, err
	}
	if now.Before(next.Leaf.NotBefore.Add(clockSkew + announced)) {
		return renewServer(current, ca, hosts, now)
	}
	return promote(current, hosts, now)
}

// promote lets the next authority sign.
func promote(current map[string][]byte, hosts []string, now time.Time) (data map[string][]byte, changed bool, err error) {
	promoted := map[string][]byte{keyCA: current[keyNextCA], keyCAKey: current[keyNextCAKey], keyOldCA: readable(current[keyCA])}
	data, _, err = Renew(promoted, hosts, now)
	return data, true, err
}

// readable is nil for an authority that nobody can trust.
func readable(authority []byte) []byte {
	if block, _ := pem.Decode(authority); block == nil {
		return nil
	}
	return authority
}

// renewServer keeps the certificate of the server if it is valid, and otherwise makes a new one.
func renewServer(current map[string][]byte, ca tls.Certificate, hosts []string, now time.Time) (data map[string][]byte, changed bool, err error) {
	server, err := tls.X509KeyPair(current[keyCert], current[keyKey])
	if err == nil && !worn(server.Leaf, now) && server.Leaf.CheckSignatureFrom(ca.Leaf) == nil && covers(server.Leaf, hosts) {
		return current, false, nil
	}
	cert, key, err := newServer(hosts, ca, now)
	if err != nil {
		return nil, false, err
	}
	data = maps.Clone(current)
	data[keyCert], data[keyKey] = cert, key
	return data, true, nil
}

// Bundle returns the CAs that API servers must trust.
func Bundle(data map[string][]byte) []byte {
	return bytes.Join([][]byte{data[keyCA], data[keyOldCA], data[keyNextCA]}, nil)
}

func newAuthority(old []byte, now time.Time) (map[string][]byte, error) {
	authority, err := certificate.SelfSigned(&x509.Certificate{
		Subject: pkix.Name{CommonName: "webhooks"}, NotBefore: now.Add(-clockSkew), NotAfter: now.Add(caLife),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	})
	if err != nil {
		return nil, err
	}
	cert, key, err := authority.PEM()
	if err != nil {
		return nil, err
	}
	return map[string][]byte{keyCA: cert, keyCAKey: key, keyOldCA: readable(old)}, nil
}

func newServer(hosts []string, ca tls.Certificate, now time.Time) (cert, key []byte, err error) {
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: hosts[0]}, NotBefore: now.Add(-clockSkew), NotAfter: now.Add(serverLife),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	certificate.AddHosts(template, hosts...)
	server, err := certificate.Authority{Cert: ca.Leaf, Key: ca.PrivateKey.(crypto.Signer)}.Issue(template)
	if err != nil {
		return nil, nil, err
	}
	return server.PEM()
}

// worn reports whether 80 % of the validity of the certificate have passed.
func worn(cert *x509.Certificate, now time.Time) bool {
	life := cert.NotAfter.Sub(cert.NotBefore)
	return now.After(cert.NotBefore.Add(life*4/5)) || now.Before(cert.NotBefore)
}

func covers(cert *x509.Certificate, hosts []string) bool {
	return !slices.ContainsFunc(hosts, func(host string) bool { return cert.VerifyHostname(host) != nil })
}
