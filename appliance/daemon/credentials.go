package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// CredentialRequest asks for a client certificate of an operator.
type CredentialRequest struct {
	// Cluster is "garden" or "seed".
	Cluster string `json:"cluster"`
	// Expiration is how long the certificate is valid.
	Expiration time.Duration `json:"expiration"`
	// BreakGlass asks for a member of system:masters, whom no lost binding of RBAC can lock out.
	BreakGlass bool `json:"breakGlass,omitempty"`
}

// Credential is a client certificate with its key, both PEM.
type Credential struct {
	Cert    []byte    `json:"cert"`
	Key     []byte    `json:"key"`
	Expires time.Time `json:"expires"`
}

func serveCredentials(issue func(CredentialRequest) (Credential, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var request CredentialRequest
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		credential, err := issue(request)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(credential)
	}
}

// maxCredential bounds the answer of the daemon, in bytes.
const maxCredential = 1 << 16

// Credential asks the daemon for a client certificate.
func (c *Client) Credential(ctx context.Context, request CredentialRequest) (Credential, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return Credential{}, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://gardener/credentials", bytes.NewReader(body))
	if err != nil {
		return Credential{}, err
	}
	response, err := c.http.Do(r)
	if err != nil {
		return Credential{}, fmt.Errorf("ask the landscape for a credential: %w", err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxCredential))
	if err != nil {
		return Credential{}, err
	}
	if response.StatusCode != http.StatusOK {
		return Credential{}, errors.New(strings.TrimSpace(string(answer)))
	}
	var credential Credential
	return credential, json.Unmarshal(answer, &credential)
}
