package store

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/encryption"
)

func TestKeys(t *testing.T) {
	own, former := newKey(t), newKey(t)
	open := func(t *testing.T, config Config) *Store {
		t.Helper()
		config.Provider, config.Container, config.Prefix, config.Dir = "local", "bucket", "shoot/etcd-main", t.TempDir()
		s, err := Open(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	of := func(t *testing.T, s *Store) encryption.Keys {
		t.Helper()
		keys, err := s.Keys()
		if err != nil {
			t.Fatal(err)
		}
		return keys
	}
	t.Run("without a Secret nothing is encrypted", func(t *testing.T) {
		if of(t, open(t, Config{})).Encrypt() {
			t.Error("it is")
		}
	})
	t.Run("ETC-10 a Secret that is not there is no reason to store snapshots as they are", func(t *testing.T) {
		if _, err := open(t, Config{Credentials: filepath.Join(t.TempDir(), "none")}).Keys(); !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
	})
	t.Run("ETC-10 keys are read again, and those of the source only decrypt", func(t *testing.T) {
		dir, source := t.TempDir(), t.TempDir()
		s := open(t, Config{Credentials: dir, SourceCredentials: filepath.Join(source, "mount")})
		if of(t, s).Encrypt() {
			t.Error("snapshots are encrypted without a key")
		}
		write(t, filepath.Join(source, "mount", encryption.Key), former.String())
		if of(t, s).Encrypt() {
			t.Error("snapshots are encrypted for the key of the source")
		}
		write(t, filepath.Join(dir, encryption.Key), own.String())
		if !of(t, s).Encrypt() {
			t.Error("snapshots are not encrypted")
		}
		more, err := s.SourceKeys()
		if err != nil {
			t.Fatal(err)
		}
		for name, key := range map[string]*age.X25519Identity{"its own key": own, "that of the source": former} {
			if got, err := io.ReadAll(decrypt(t, of(t, s).Also(more), key)); err != nil || string(got) != "content" {
				t.Errorf("%s: %q, %v", name, got, err)
			}
		}
	})
	t.Run("ETC-10 keys of the source that cannot be read are no reason to store no snapshots", func(t *testing.T) {
		dir, source := t.TempDir(), t.TempDir()
		write(t, filepath.Join(dir, encryption.Key), own.String())
		write(t, filepath.Join(source, encryption.Key), "no key")
		s := open(t, Config{Credentials: dir, SourceCredentials: source})
		if !of(t, s).Encrypt() {
			t.Error("snapshots are not encrypted")
		}
		if _, err := s.SourceKeys(); err == nil || !strings.Contains(err.Error(), "of the source") {
			t.Error(err)
		}
	})
}

func newKey(t *testing.T) *age.X25519Identity {
	t.Helper()
	key, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// decrypt encrypts a content for a key, and returns a reader with the keys.
func decrypt(t *testing.T, keys encryption.Keys, key *age.X25519Identity) io.Reader {
	t.Helper()
	var stored bytes.Buffer
	w, err := age.Encrypt(&stored, key.Recipient())
	if err == nil {
		_, err = io.WriteString(w, "content")
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	r, err := keys.Reader(&stored)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
