package host

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Credentials are what a host can rotate while the components serve. A rotation is named by the time at which it began: all methods
// may be called again for the same rotation, and then do only what is left. Nil means that the host does not rotate the credential.
type Credentials struct {
	Authorities       Authorities
	ServiceAccountKey ServiceAccountKey
	EncryptionKey     EncryptionKey
	// Observability means that the host shows its metrics to whoever has the password that the operator keeps in the runtime cluster.
	Observability bool
}

// Authorities sign certificates of clients and servers of the virtual garden.
type Authorities interface {
	// Renew makes authorities. All servers and clients of the host trust them and the former ones. From now on only the new ones sign
	// client certificates, and the components of the host have such certificates.
	Renew(ctx context.Context, began time.Time) error
	// DropFormer lets the new ones sign for servers, too, and makes all servers refuse what former authorities have signed.
	DropFormer(ctx context.Context, began time.Time) error
}

// ServiceAccountKey signs tokens of service accounts of the virtual garden.
type ServiceAccountKey interface {
	// Renew makes a key. The API server signs with it from now on, and accepts tokens of former keys, too.
	Renew(began time.Time) error
	// DropFormer makes the API server refuse tokens of former keys.
	DropFormer() error
}

// EncryptionKey encrypts objects of the virtual garden and of the Gardener API in etcd.
type EncryptionKey interface {
	// Renew makes a key. The API servers soon encrypt with it what they write, and read what former keys have encrypted, too.
	Renew(began time.Time) error
	// Outdated visits objects that are stored with a former key.
	Outdated(ctx context.Context, visit func(Stored) error) error
	// Backup makes a backup of what is stored that needs no former key.
	Backup(ctx context.Context) error
	// DropFormer forgets former keys. It returns an error while an object needs one.
	DropFormer(ctx context.Context) error
}

// Stored is an object in etcd.
type Stored struct {
	Kind            schema.GroupVersionKind
	Namespace, Name string
}
