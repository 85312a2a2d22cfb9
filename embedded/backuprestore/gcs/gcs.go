// Package gcs is a driver of gocloud.dev/blob for buckets of Google Cloud Storage. Its XML interface is the protocol of S3 with tokens
// instead of signatures, so the driver adds the tokens only. The client library of this cloud would add 20 MB to the binary.
package gcs

import (
	"net/http"
	"sync"

	"gocloud.dev/blob"
	"golang.org/x/oauth2"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/s3"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/secretfiles"
)

// Open opens a bucket. It does not reach it before the first use. It reads the Secret again before each request.
func Open(bucket string, secret secretfiles.Source) (*blob.Bucket, error) {
	tokens := &tokens{}
	return s3.OpenWith(bucket, func() (s3.Access, error) {
		now, err := ReadCredentials(secret)
		if err != nil {
			return s3.Access{}, err
		}
		return s3.Access{Base: now.base, PathStyle: true, Authorize: func(request *http.Request, _ []byte) error {
			return tokens.authorize(request, now)
		}}, nil
	})
}

// tokens keeps the token of one service account until it ends, or until there is another key. It is safe for concurrent use.
type tokens struct {
	mu    sync.Mutex
	of    key
	token *oauth2.Token
}

// authorize adds the token of the service account to a request. Emulators have no accounts.
func (t *tokens) authorize(request *http.Request, as Credentials) error {
	if as.emulated {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of != as.key || !t.token.Valid() {
		token, err := as.key.fetch(request.Context())
		if err != nil {
			return &tokenError{account: as.key.Email, err: err}
		}
		t.of, t.token = as.key, token
	}
	t.token.SetAuthHeader(request)
	return nil
}
