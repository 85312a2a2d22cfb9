package gcs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/jwt"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/s3"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/secretfiles"
)

const (
	accountFile = "serviceaccount.json"
	accountType = "service_account"
	scope       = "https://www.googleapis.com/auth/devstorage.read_write"

	defaultEndpoint = "https://storage.googleapis.com"
	defaultTokenURL = "https://oauth2.googleapis.com/token" //nolint:gosec // the place of tokens, and none
	// tokenTime bounds a request for a token.
	tokenTime = 30 * time.Second
)

// Credentials are the access to the buckets of a project.
type Credentials struct {
	base *url.URL
	// emulated means that nobody asks who asks.
	emulated bool
	key      key
}

// key is the key of a service account, as Google writes it.
type key struct {
	Type     string `json:"type"`
	Email    string `json:"client_email"`
	Private  string `json:"private_key"`
	ID       string `json:"private_key_id"`
	TokenURL string `json:"token_uri"`
}

// ReadCredentials reads the Secret of the store. Its values have the names that etcd-backup-restore has given them: serviceaccount.json,
// and for other servers storageAPIEndpoint and emulatorEnabled.
func ReadCredentials(from secretfiles.Source) (Credentials, error) {
	secret := secretfiles.Of(from)
	c := Credentials{emulated: secret.Optional("emulatorEnabled") == "true"}
	endpoint := secret.Optional("storageAPIEndpoint")
	if endpoint == "" {
		endpoint = defaultEndpoint
	}
	var err error
	if c.base, err = s3.ParseEndpoint(endpoint); err != nil || c.emulated {
		return c, err
	}
	account := secret.Required(accountFile)
	if err := secret.Err(); err != nil {
		return c, err
	}
	if err := json.Unmarshal([]byte(account), &c.key); err != nil {
		return c, fmt.Errorf("%s is no JSON", accountFile) // the error of the decoder may repeat a part of the key
	}
	return c, c.key.check()
}

// check refuses what is no key of a service account, and a place of tokens that others could read on the way.
func (k *key) check() error {
	if k.Type != accountType {
		return fmt.Errorf("%s has the type %q; only keys of service accounts, of type %q, can be used", accountFile, k.Type, accountType)
	}
	if k.Email == "" || k.Private == "" {
		return fmt.Errorf("%s lacks client_email or private_key", accountFile)
	}
	if k.TokenURL == "" {
		k.TokenURL = defaultTokenURL
	}
	at, err := url.Parse(k.TokenURL)
	if err != nil || at.Host == "" || at.Scheme != "https" && !(at.Scheme == "http" && net.ParseIP(at.Hostname()).IsLoopback()) {
		return fmt.Errorf("%s: token_uri is no https URL", accountFile)
	}
	return nil
}

// fetch gets a token with the key.
func (k key) fetch(ctx context.Context) (*oauth2.Token, error) {
	ctx, cancel := context.WithTimeout(ctx, tokenTime)
	defer cancel()
	config := &jwt.Config{Email: k.Email, PrivateKey: []byte(k.Private), PrivateKeyID: k.ID, Scopes: []string{scope}, TokenURL: k.TokenURL}
	token, err := config.TokenSource(context.WithValue(ctx, oauth2.HTTPClient, &http.Client{Transport: until{ctx}})).Token()
	if ctx.Err() != nil { // which the library does not wrap
		return nil, ctx.Err()
	}
	return token, err
}

// until ends requests with a context. The library makes them without one.
type until struct{ ctx context.Context }

// RoundTrip implements http.RoundTripper.
func (u until) RoundTrip(request *http.Request) (*http.Response, error) {
	return http.DefaultTransport.RoundTrip(request.WithContext(u.ctx))
}

// tokenError means that there is no token for a request.
type tokenError struct {
	account string
	err     error
}

func (e *tokenError) Error() string {
	var refused *oauth2.RetrieveError
	if errors.As(e.err, &refused) && refused.Response != nil {
		return fmt.Sprintf("service account %s gets no token: the server answers %s: %.300q", e.account, refused.Response.Status, refused.Body)
	}
	return fmt.Sprintf("service account %s gets no token: %v", e.account, e.err)
}

// Final reports whether the server will refuse the key again.
func (e *tokenError) Final() bool {
	var refused *oauth2.RetrieveError
	return errors.As(e.err, &refused) && refused.Response != nil && refused.Response.StatusCode < http.StatusInternalServerError
}

func (e *tokenError) Unwrap() error { return e.err }
