package encryption

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/secretfiles"
	"github.com/gardener-up/gardener-up/embedded/testskip"
)

func newKey(t *testing.T) *age.X25519Identity {
	t.Helper()
	key, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func keys(t *testing.T, all ...*age.X25519Identity) Keys {
	t.Helper()
	text := "# keys\n\n"
	for _, key := range all {
		text += key.String() + "\r\n"
	}
	out, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func encrypted(t *testing.T, k Keys, content string) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := k.Writer(&out)
	if err == nil {
		_, err = io.WriteString(w, content)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func decrypted(k Keys, stored []byte) (string, error) {
	r, err := k.Reader(bytes.NewReader(stored))
	if err != nil {
		return "", err
	}
	content, err := io.ReadAll(r)
	return string(content), err
}

// long has more than one chunk of age.
var long = strings.Repeat("content ", 20000)

func TestKeys(t *testing.T) {
	old, current, other := newKey(t), newKey(t), newKey(t)
	t.Run("ETC-10 the first key encrypts, all decrypt", func(t *testing.T) {
		before := encrypted(t, keys(t, old), long)
		after := encrypted(t, keys(t, current, old), long)
		for name, stored := range map[string][]byte{"before": before, "after": after} {
			if got, err := decrypted(keys(t, current, old), stored); err != nil || got != long {
				t.Errorf("%s the key is replaced: %d bytes, %v", name, len(got), err)
			}
			if bytes.Contains(stored, []byte("content content")) {
				t.Errorf("%s the key is replaced: the content is there", name)
			}
		}
		if got, err := decrypted(keys(t, current), after); err != nil || got != long {
			t.Errorf("without the former key: %d bytes, %v", len(got), err)
		}
	})
	t.Run("ETC-10 a missing key is named by its public key", func(t *testing.T) {
		stored := encrypted(t, keys(t, old), long)
		for name, k := range map[string]Keys{"another key": keys(t, other), "no key": {}} {
			_, err := decrypted(k, stored)
			if !errors.Is(err, ErrKey) || !strings.Contains(err.Error(), old.Recipient().String()) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
	t.Run("ETC-10 keys that are added decrypt and do not encrypt", func(t *testing.T) {
		stored := encrypted(t, keys(t, old), long)
		if got, err := decrypted(keys(t, current).Also(keys(t, old)), stored); err != nil || got != long {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		if got := encrypted(t, keys(t, current).Also(keys(t, old)), long); string(got) == long || bytes.Contains(got, []byte(old.Recipient().String())) {
			t.Error("the added key encrypts")
		}
		if got := encrypted(t, Keys{}.Also(keys(t, old)), long); string(got) != long {
			t.Error("the added key encrypts where none is asked for")
		}
	})
	t.Run("APP-36 ETC-10 the tool age decrypts a snapshot", func(t *testing.T) {
		if _, err := exec.LookPath("age"); err != nil {
			testskip.OutsideCI(t, "the package age: ", err)
		}
		file := filepath.Join(t.TempDir(), "snapshots.key")
		if err := os.WriteFile(file, []byte("# a comment\n"+old.String()+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		tool := exec.Command("age", "--decrypt", "-i", file)
		tool.Stdin = bytes.NewReader(encrypted(t, keys(t, old), long))
		if got, err := tool.Output(); err != nil || string(got) != long {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	})
	t.Run("ETC-10 files of age can be snapshots", func(t *testing.T) {
		var foreign bytes.Buffer
		w, err := age.Encrypt(&foreign, old.Recipient())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, long); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if got, err := decrypted(keys(t, old), foreign.Bytes()); err != nil || got != long {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		if _, err := decrypted(keys(t, other), foreign.Bytes()); !errors.Is(err, ErrKey) {
			t.Errorf("with another key: %v", err)
		}
	})
}

// A damaged snapshot must not look as one whose key is missing: an older one is restored then.
func TestDamage(t *testing.T) {
	k := keys(t, newKey(t))
	stored := encrypted(t, k, "content")
	t.Run("ETC-10 each changed byte is found and is no missing key", func(t *testing.T) {
		for i := range stored {
			bad := bytes.Clone(stored)
			bad[i] ^= 0x04
			if got, err := decrypted(k, bad); err == nil || errors.Is(err, ErrKey) {
				t.Errorf("byte %d of %d: %q, %v", i, len(stored), got, err)
			}
		}
	})
	t.Run("ETC-10 each cut is found and is no missing key", func(t *testing.T) {
		for i := range stored {
			if got, err := decrypted(k, stored[:i]); err == nil || errors.Is(err, ErrKey) {
				t.Errorf("%d of %d bytes: %q, %v", i, len(stored), got, err)
			}
		}
	})
}

func TestRead(t *testing.T) {
	key := newKey(t)
	if k, err := Read(secretfiles.Data(nil)); err != nil || k.Encrypt() || k.None() {
		t.Errorf("a Secret without keys: %v, %v, %v", k.Encrypt(), k.None(), err)
	}
	if k, err := Read(secretfiles.Data(map[string][]byte{Key: []byte(key.String())})); err != nil || !k.Encrypt() {
		t.Errorf("a Secret with a key: %v, %v", k.Encrypt(), err)
	}
	if _, err := Read(func(string) ([]byte, error) { return nil, fs.ErrPermission }); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a Secret that cannot be read: %v", err)
	}
	sealed := encrypted(t, keys(t, key), long)
	for name, text := range map[string]string{"none": "none", "none before a key that decrypts": "# off\nnone\n" + key.String()} {
		k, err := Read(secretfiles.Data(map[string][]byte{Key: []byte(text)}))
		if err != nil || k.Encrypt() || !k.None() || string(encrypted(t, k, long)) != long {
			t.Errorf("%s: encrypts %v, none %v, %v", name, k.Encrypt(), k.None(), err)
		}
		if got, err := decrypted(k, sealed); (err == nil && got == long) != (text != "none") {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	for name, text := range map[string]string{
		"none after a key": key.String() + "\nnone", "empty": "", "only a comment": "# key\n", "a public key": key.Recipient().String(), "cut": key.String() + "\n" + key.String()[:40],
	} {
		k, err := Read(secretfiles.Data(map[string][]byte{Key: []byte(text)}))
		if err == nil || k.Encrypt() {
			t.Errorf("%s: %v, %v", name, k.Encrypt(), err)
		} else if secret := strings.TrimPrefix(key.String(), "AGE-SECRET-KEY-1"); strings.Contains(err.Error(), secret[:8]) {
			t.Errorf("%s: the error has the key: %v", name, err)
		}
	}
}
