package gardenkeys

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/appliance/snapshots"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
)

const (
	// encrypted begins each value that is encrypted, whatever the key.
	encrypted = "k8s:enc:"
	// pageSize is how many values are read at a time.
	pageSize = 200
)

// Encryption is the key that encrypts objects in etcd.
type Encryption struct {
	Files Files
	Etcd  snapshots.Access
	// Kinds are those of the encrypted resources, by the prefixes of their keys in etcd, which end with a slash.
	Kinds map[string]schema.GroupVersionKind
	// Snapshot makes a full snapshot of the etcd.
	Snapshot func(context.Context) error
}

var _ host.EncryptionKey = Encryption{}

// Renew implements host.EncryptionKey.
func (e Encryption) Renew(began time.Time) error {
	return e.Files.change(func(files pki.Rotation) error { return files.NewEncryptionKey(pki.RotationName(began)) })
}

// Outdated implements host.EncryptionKey. It reads everything in etcd: an encrypted value of an unknown kind is an error, since
// nobody could read it without the former key. Objects of the encrypted kinds that are stored in plain text are outdated, too.
func (e Encryption) Outdated(ctx context.Context, visit func(host.Stored) error) error {
	name, err := e.Files.Keys.EncryptionKey()
	if err != nil {
		return err
	}
	current := fmt.Appendf(nil, "%ssecretbox:v1:%s:", encrypted, name)
	client, err := e.Etcd.Client()
	if err != nil {
		return fmt.Errorf("look for objects with a former encryption key: %w", err)
	}
	defer client.Close()
	return each(ctx, client, func(key string, value []byte) error {
		prefix, known := e.prefix(key)
		switch {
		case bytes.HasPrefix(value, current) || !known && !bytes.HasPrefix(value, []byte(encrypted)):
			return nil
		case !known:
			return fmt.Errorf("what is stored as %q is encrypted with a former key, and its kind is unknown", key)
		}
		object := host.Stored{Kind: e.Kinds[prefix], Name: strings.TrimPrefix(key, prefix)}
		if namespace, name, namespaced := strings.Cut(object.Name, "/"); namespaced {
			object.Namespace, object.Name = namespace, name
		}
		return visit(object)
	})
}

// prefix is the one of Kinds that a key has.
func (e Encryption) prefix(key string) (prefix string, known bool) {
	for prefix := range e.Kinds {
		if strings.HasPrefix(key, prefix) {
			return prefix, true
		}
	}
	return "", false
}

// each visits all values in etcd.
func each(ctx context.Context, client *clientv3.Client, visit func(key string, value []byte) error) error {
	options := []clientv3.OpOption{clientv3.WithFromKey(), clientv3.WithLimit(pageSize)}
	for key := "\x00"; ; {
		page, err := client.Get(ctx, key, options...)
		if err != nil {
			return fmt.Errorf("read etcd: %w", err)
		}
		for _, pair := range page.Kvs {
			if err := visit(string(pair.Key), pair.Value); err != nil {
				return err
			}
		}
		if !page.More || len(page.Kvs) == 0 {
			return nil
		}
		key = string(page.Kvs[len(page.Kvs)-1].Key) + "\x00"
	}
}

// Backup implements host.EncryptionKey.
func (e Encryption) Backup(ctx context.Context) error { return e.Snapshot(ctx) }

// DropFormer implements host.EncryptionKey.
func (e Encryption) DropFormer(ctx context.Context) error {
	if err := e.Outdated(ctx, func(s host.Stored) error {
		return fmt.Errorf("%s %s/%s is stored with a former encryption key", s.Kind.Kind, s.Namespace, s.Name)
	}); err != nil {
		return err
	}
	return e.Files.change(pki.Rotation.DropEncryptionKeys)
}
