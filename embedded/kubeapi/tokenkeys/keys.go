// Package tokenkeys holds the keys for tokens of service accounts of a kube-apiserver, which can change while it serves.
// kube-apiserver itself reads its files once.
package tokenkeys

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"

	"gopkg.in/go-jose/go-jose.v2/jwt"
	"k8s.io/client-go/util/keyutil"
	"k8s.io/kubernetes/pkg/serviceaccount"
)

// cacheAge is how long others may keep what the server publishes about its keys, as for keys that never change.
const cacheAge = 3600

// Keys signs tokens with one key, and accepts those of former keys, too. Its methods may be called from many goroutines.
type Keys struct {
	issuer, signing, former string

	current   atomic.Pointer[loaded]
	mu        sync.Mutex
	listeners []serviceaccount.Listener
}

// loaded is what the files held at one moment, so that no token is signed by a key that is not accepted.
type loaded struct {
	generator serviceaccount.TokenGenerator
	public    serviceaccount.PublicKeysGetter
}

var (
	_ serviceaccount.TokenGenerator   = &Keys{}
	_ serviceaccount.PublicKeysGetter = &Keys{}
)

// New returns keys that are not read yet. The file signing holds the private key of the issuer. The file former holds the public keys
// of those before; it may be missing.
func New(issuer, signing, former string) *Keys {
	return &Keys{issuer: issuer, signing: signing, former: former}
}

// Load reads the files. After an error, everything is as it was.
func (k *Keys) Load() error {
	private, err := keyutil.PrivateKeyFromFile(k.signing)
	if err != nil {
		return fmt.Errorf("read key of tokens: %w", err)
	}
	next := &loaded{}
	if next.generator, err = serviceaccount.JWTTokenGenerator(k.issuer, private); err != nil {
		return fmt.Errorf("sign tokens with %s: %w", k.signing, err)
	}
	accepted := []any{private}
	switch former, err := keyutil.PublicKeysFromFile(k.former); {
	case err == nil:
		accepted = append(accepted, former...)
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("read former keys of tokens: %w", err)
	}
	if next.public, err = serviceaccount.StaticPublicKeysGetter(accepted); err != nil {
		return fmt.Errorf("accept tokens of %s: %w", k.signing, err)
	}
	k.current.Store(next)
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, listener := range k.listeners {
		listener.Enqueue()
	}
	return nil
}

// GenerateToken implements serviceaccount.TokenGenerator.
func (k *Keys) GenerateToken(ctx context.Context, claims *jwt.Claims, private any) (string, error) {
	now := k.current.Load()
	if now == nil {
		return "", errors.New("the key of tokens is not read yet")
	}
	return now.generator.GenerateToken(ctx, claims, private)
}

// AddListener implements serviceaccount.PublicKeysGetter.
func (k *Keys) AddListener(listener serviceaccount.Listener) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.listeners = append(k.listeners, listener)
}

// GetCacheAgeMaxSeconds implements serviceaccount.PublicKeysGetter.
func (k *Keys) GetCacheAgeMaxSeconds() int { return cacheAge }

// GetPublicKeys implements serviceaccount.PublicKeysGetter.
func (k *Keys) GetPublicKeys(ctx context.Context, id string) []serviceaccount.PublicKey {
	now := k.current.Load()
	if now == nil {
		return nil
	}
	return now.public.GetPublicKeys(ctx, id)
}
