// Package testissuer is an identity provider for tests: it serves discovery documents and keys over TLS, signs tokens and rotates
// its keys. Only tests may import it.
package testissuer

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// Issuer is a running identity provider.
type Issuer struct {
	// URL is the claim iss of its tokens, and CA the certificate of its server in PEM.
	URL string
	CA  []byte

	lock sync.Mutex
	keys []*rsa.PrivateKey
	// first is the number of the first key, which is part of its name.
	first    int
	requests int
}

// New starts an issuer on a loopback address that ends with the test.
func New(t *testing.T) *Issuer {
	t.Helper()
	out := &Issuer{}
	out.Rotate(t)
	server := httptest.NewTLSServer(out)
	t.Cleanup(server.Close)
	out.URL = server.URL
	out.CA = Certificate(server)
	return out
}

// Certificate is the certificate of a server in PEM.
func Certificate(server *httptest.Server) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
}

// Rotate replaces the keys by a new one: tokens that were signed before become invalid for whoever reads the keys again.
func (i *Issuer) Rotate(t *testing.T) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	i.lock.Lock()
	defer i.lock.Unlock()
	i.first += len(i.keys)
	i.keys = []*rsa.PrivateKey{key}
}

// PublicKey is the current key in PEM, which everybody may know.
func (i *Issuer) PublicKey(t *testing.T) []byte {
	t.Helper()
	i.lock.Lock()
	defer i.lock.Unlock()
	der, err := x509.MarshalPKIXPublicKey(&i.keys[0].PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

// Requests is the number of requests that the server has got.
func (i *Issuer) Requests() int {
	i.lock.Lock()
	defer i.lock.Unlock()
	return i.requests
}

// ServeHTTP implements http.Handler.
func (i *Issuer) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	i.lock.Lock()
	defer i.lock.Unlock()
	i.requests++
	w.Header().Set("Content-Type", "application/json")
	switch req.URL.Path {
	case "/.well-known/openid-configuration":
		_ = json.NewEncoder(w).Encode(map[string]any{
			"issuer": i.URL, "jwks_uri": i.URL + "/keys", "authorization_endpoint": i.URL + "/login", "token_endpoint": i.URL + "/token",
			"response_types_supported": []string{"id_token"}, "subject_types_supported": []string{"public"}, "id_token_signing_alg_values_supported": []string{"RS256"},
		})
	case "/keys":
		var keys []map[string]any
		for n, key := range i.keys {
			keys = append(keys, map[string]any{
				"kty": "RSA", "use": "sig", "alg": "RS256", "kid": i.keyID(n),
				"n": encode(key.N.Bytes()), "e": encode(big.NewInt(int64(key.E)).Bytes()),
			})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"keys": keys})
	default:
		http.NotFound(w, req)
	}
}

func (i *Issuer) keyID(n int) string { return fmt.Sprintf("key-%d", i.first+n) }

// Token signs claims, in addition to iss and an hour of validity, which the claims may override.
func (i *Issuer) Token(t *testing.T, claims map[string]any) string {
	t.Helper()
	i.lock.Lock()
	defer i.lock.Unlock()
	all := map[string]any{"iss": i.URL, "iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix()}
	for name, value := range claims {
		all[name] = value
	}
	signed := part(t, map[string]any{"alg": "RS256", "typ": "JWT", "kid": i.keyID(0)}) + "." + part(t, all)
	digest := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(rand.Reader, i.keys[0], crypto.SHA256, digest[:])
	if err != nil {
		t.Fatal(err)
	}
	return signed + "." + encode(signature)
}

func part(t *testing.T, content any) string {
	t.Helper()
	raw, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	return encode(raw)
}

func encode(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }
