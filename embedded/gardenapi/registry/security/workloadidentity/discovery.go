package workloadidentity

import (
	"crypto/ecdsa"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"strings"
)

const (
	discoverySuffix = "/.well-known/openid-configuration"
	keysSuffix      = "/jwks"
)

// Discovery returns the documents by path that external systems need to trust the issuer: the discovery document of OpenID
// Connect and the public key. The paths are below the URL of the issuer. Both documents are public and do not change while
// the server runs.
func (s *Signer) Discovery() (map[string]http.Handler, error) {
	issuer, err := url.Parse(s.issuer)
	if err != nil {
		return nil, fmt.Errorf("parse issuer: %w", err)
	}
	base := strings.TrimSuffix(issuer.Path, "/")
	document, err := json.Marshal(map[string]any{
		"issuer":                                s.issuer,
		"jwks_uri":                              strings.TrimSuffix(s.issuer, "/") + keysSuffix,
		"response_types_supported":              []string{"id_token"},
		"subject_types_supported":               []string{"public"},
		"id_token_signing_alg_values_supported": []string{s.method.Alg()},
	})
	if err != nil {
		return nil, err
	}
	keys, err := json.Marshal(map[string]any{"keys": []any{s.publicKey()}})
	if err != nil {
		return nil, err
	}
	return map[string]http.Handler{
		base + discoverySuffix: static("application/json", document),
		base + keysSuffix:      static("application/jwk-set+json", keys),
	}, nil
}

// publicKey is a JSON web key.
func (s *Signer) publicKey() map[string]string {
	out := map[string]string{"use": "sig", "kid": s.id, "alg": s.method.Alg()}
	number := func(i *big.Int, size int) string {
		return base64.RawURLEncoding.EncodeToString(i.FillBytes(make([]byte, size)))
	}
	switch key := s.key.Public().(type) {
	case *ecdsa.PublicKey:
		point, _ := key.Bytes() // 4, x, y; no error, since the key was read from a valid file
		out["kty"], out["crv"] = "EC", key.Params().Name
		out["x"] = base64.RawURLEncoding.EncodeToString(point[1:33])
		out["y"] = base64.RawURLEncoding.EncodeToString(point[33:])
	case *rsa.PublicKey:
		e := big.NewInt(int64(key.E))
		out["kty"], out["n"], out["e"] = "RSA", number(key.N, key.Size()), number(e, (e.BitLen()+7)/8)
	}
	return out
}

func static(contentType string, content []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("Cache-Control", "public, max-age=3600")
		_, _ = w.Write(content)
	})
}
