// Package gcstest is an object store in memory with the XML interface of Google Cloud Storage, for tests only. It gives tokens for the
// key of one service account, and answers requests with one of these tokens.
package gcstest

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
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/s3/s3test"
)

const email = "backup@project.iam.gserviceaccount.com"

// Server has one bucket.
type Server struct {
	*s3test.Server

	mu     sync.Mutex
	key    *rsa.PrivateKey
	tokens *httptest.Server
	given  int
	valid  string // the value of the header Authorization
	also   func(*http.Request) (status int, code string)
}

// Start starts a server that ends with the test.
func Start(t *testing.T, bucket string) *Server {
	s := &Server{Server: s3test.Start(t, bucket)}
	s.Server.Refuse(s.check)
	s.tokens = httptest.NewServer(http.HandlerFunc(s.give))
	t.Cleanup(s.tokens.Close)
	s.Rotate(t)
	return s
}

// Rotate gives the account a new key. The tokens for the old one are not valid any longer.
func (s *Server) Rotate(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.key, s.valid = key, ""
}

// Secret has the credentials for the server.
func (s *Server) Secret(t *testing.T) map[string][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	der, err := x509.MarshalPKCS8PrivateKey(s.key)
	if err != nil {
		t.Fatal(err)
	}
	account, err := json.Marshal(map[string]string{
		"type": "service_account", "client_email": email, "token_uri": s.tokens.URL, "private_key_id": "1",
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
	})
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{"serviceaccount.json": account, "storageAPIEndpoint": []byte(s.URL)}
}

// Given is the number of tokens that the server gave.
func (s *Server) Given() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.given
}

// Refuse makes the server refuse more requests, as that of s3test.
func (s *Server) Refuse(refuses func(*http.Request) (status int, code string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.also = refuses
}

func (s *Server) check(r *http.Request) (int, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.valid == "" || r.Header.Get("Authorization") != s.valid {
		return http.StatusUnauthorized, "AuthenticationRequired"
	}
	if s.also != nil {
		return s.also(r)
	}
	return 0, ""
}

// give wants an assertion that the key of the account has signed.
func (s *Server) give(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	claims, err := verify(r.FormValue("assertion"), &s.key.PublicKey)
	if err != nil || claims.Iss != email || claims.Aud != s.tokens.URL || !strings.HasSuffix(claims.Scope, "/devstorage.read_write") {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":"invalid_grant"}`))
		return
	}
	s.given++
	token := fmt.Sprintf("token-%d", s.given)
	s.valid = "Bearer " + token
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": 3600})
}

// claims of an assertion.
type claims struct{ Iss, Aud, Scope string }

// verify reads an assertion that the key has signed.
func verify(assertion string, key *rsa.PublicKey) (claims, error) {
	parts := strings.Split(assertion, ".")
	if len(parts) != 3 {
		return claims{}, fmt.Errorf("an assertion of %d parts", len(parts))
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return claims{}, err
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		return claims{}, err
	}
	signed := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err := rsa.VerifyPKCS1v15(key, crypto.SHA256, signed[:], signature); err != nil {
		return claims{}, err
	}
	var found claims
	err = json.Unmarshal(text, &found)
	return found, err
}
