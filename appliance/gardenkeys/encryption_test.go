package gardenkeys

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	clientv3 "go.etcd.io/etcd/client/v3"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/appliance/snapshots"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
	"github.com/gardener-up/gardener-up/embedded/etcd"
	"github.com/gardener-up/gardener-up/embedded/testport"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// newEtcd runs an etcd without data.
func newEtcd(t *testing.T, certs pki.Etcd) snapshots.Access {
	t.Helper()
	config := etcd.Config{
		Name: "garden", DataDir: t.TempDir(), ClientPort: testport.Free(t),
		CAFile: certs.CA, CertFile: certs.Server.Cert, KeyFile: certs.Server.Key, Token: t.Name(), Log: logr.Discard(),
	}
	server := etcd.New(config)
	if err := server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := server.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
	testwait.Until(t, "etcd is ready", func() error { return server.Ready(t.Context()) })
	return snapshots.Access{Endpoint: config.Endpoint(), CA: certs.CA, Cert: certs.Client.Cert, Key: certs.Client.Key}
}

func TestEncryption(t *testing.T) {
	keys := pki.New(t.TempDir(), pki.Hosts{GardenAPI: []string{"api.example.org"}, Seed: "local"}, time.Now)
	bundle, err := keys.Ensure()
	if err != nil {
		t.Fatal(err)
	}
	access := newEtcd(t, bundle.Etcd)
	taken := false // by a backup
	e := Encryption{
		Files: Files{Keys: pki.Rotation{PKI: keys, Note: func(string, ...string) error { return nil }}, Turn: func() (func() error, error) {
			if taken {
				return nil, errors.New("a backup is made")
			}
			return func() error { return nil }, nil
		}},
		Etcd:  access,
		Kinds: map[string]schema.GroupVersionKind{"/registry/secrets/": corev1.SchemeGroupVersion.WithKind("Secret"), "/registry/wide/": corev1.SchemeGroupVersion.WithKind("Node")},
	}
	client, err := access.Client()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	store := func(key, value string) {
		t.Helper()
		if _, err := client.Put(t.Context(), key, value); err != nil {
			t.Fatal(err)
		}
	}
	outdated := func() (found []string, err error) {
		err = e.Outdated(t.Context(), func(s host.Stored) error {
			found = append(found, s.Kind.Kind+" "+s.Namespace+"/"+s.Name)
			return nil
		})
		slices.Sort(found)
		return found, err
	}
	taken = true
	if err := e.Renew(time.Unix(1e9, 0)); err == nil || !strings.Contains(err.Error(), "a backup is made") {
		t.Errorf("OPR-29 during a backup: %v", err)
	}
	taken = false
	if err := e.Renew(time.Unix(1e9, 0)); err != nil {
		t.Fatal(err)
	}
	name, err := e.Files.Keys.EncryptionKey()
	if err != nil {
		t.Fatal(err)
	}
	current, former := "k8s:enc:secretbox:v1:"+name+":x", "k8s:enc:secretbox:v1:key:x"
	store("/registry/configmaps/a/plain", "k8s\x00text")
	store("/registry/secrets/a/new", current)
	store("/registry/secrets/a/old", former)
	store("/registry/secrets/b/plain", "k8s\x00text")
	store("/registry/wide/one", former)
	t.Run("OPR-29 all objects are found that the new key has not encrypted", func(t *testing.T) {
		if found, err := outdated(); err != nil || !slices.Equal(found, []string{"Node /one", "Secret a/old", "Secret b/plain"}) {
			t.Errorf("found %q: %v", found, err)
		}
	})
	t.Run("OPR-29 a key that an object needs is not dropped", func(t *testing.T) {
		if err := e.DropFormer(t.Context()); err == nil || !strings.Contains(err.Error(), "Secret a/old is stored with a former encryption key") {
			t.Errorf("error %v", err)
		}
	})
	for _, key := range []string{"/registry/secrets/a/old", "/registry/secrets/b/plain", "/registry/wide/one"} {
		store(key, current)
	}
	t.Run("OPR-29 what is encrypted and of an unknown kind keeps the former key", func(t *testing.T) {
		store("/registry/unknown/a", former)
		if err := e.DropFormer(t.Context()); err == nil || !strings.Contains(err.Error(), "/registry/unknown/a") {
			t.Errorf("error %v", err)
		}
		store("/registry/unknown/a", current)
	})
	t.Run("OPR-29 many objects are read in pages", func(t *testing.T) {
		for i := range pageSize {
			store("/registry/secrets/many/"+strings.Repeat("x", i+1), former)
		}
		if found, err := outdated(); err != nil || len(found) != pageSize {
			t.Errorf("found %d: %v", len(found), err)
		}
		if _, err := client.Delete(t.Context(), "/registry/secrets/many/", clientv3.WithPrefix()); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("OPR-29 the former key goes at last", func(t *testing.T) {
		if err := e.DropFormer(t.Context()); err != nil {
			t.Fatal(err)
		}
		if found, err := outdated(); err != nil || len(found) > 0 {
			t.Errorf("found %q: %v", found, err)
		}
	})
}
