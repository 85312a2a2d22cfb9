package pki

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/util/keyutil"
)

// notes are what a rotation told, by file.
type notes map[string][][]string

func (n notes) note(file string, fingerprints ...string) error {
	n[file] = append(n[file], fingerprints)
	return nil
}

func newRotation(t *testing.T) (Rotation, notes) {
	t.Helper()
	p := New(t.TempDir(), Hosts{GardenAPI: []string{"api.example.org"}, Seed: "local"}, time.Now)
	ensure(t, p)
	n := notes{}
	return Rotation{PKI: p, Note: n.note}, n
}

func (r Rotation) fingerprint(t *testing.T, file string) string {
	t.Helper()
	for _, key := range LastingKeys() {
		if key.File == file {
			found, err := key.Fingerprint(r.PKI.dir)
			if err != nil {
				t.Fatal(err)
			}
			return found
		}
	}
	t.Fatalf("%s is no lasting key", file)
	return ""
}

var errBoom = errors.New("boom")

func TestRotation(t *testing.T) {
	for name, tc := range map[string]struct {
		file string
		make func(Rotation, string) error
		drop func(Rotation) error
	}{
		"service accounts": {serviceAccountFile, Rotation.NewServiceAccountKey, Rotation.DropServiceAccountKeys},
		"encryption":       {encryptionFile, Rotation.NewEncryptionKey, Rotation.DropEncryptionKeys},
	} {
		t.Run("OPR-29 a rotation makes one key for "+name+", however often it is asked", func(t *testing.T) {
			r, told := newRotation(t)
			first := r.fingerprint(t, tc.file)
			if err := tc.make(r, "one"); err != nil {
				t.Fatal(err)
			}
			second := r.fingerprint(t, tc.file)
			if err := tc.make(r, "one"); err != nil || r.fingerprint(t, tc.file) != second || second == first {
				t.Errorf("keys %s, %s, %s: %v", first, second, r.fingerprint(t, tc.file), err)
			}
			ensure(t, r.PKI)
			if got := told[tc.file]; !slices.Equal(got[0], []string{first, second}) || !slices.Equal(got[1], []string{second}) {
				t.Errorf("told %v, want both keys before the change and then the new one", got)
			}
			if err := errors.Join(tc.make(r, "two"), tc.drop(r), tc.drop(r)); err != nil {
				t.Fatal(err)
			}
			if last := told[tc.file][len(told[tc.file])-1]; !slices.Equal(last, []string{r.fingerprint(t, tc.file)}) {
				t.Errorf("told at last %v, the key is %s", last, r.fingerprint(t, tc.file))
			}
		})
		t.Run("OPR-29 the key for "+name+" stays if nobody can note another one", func(t *testing.T) {
			r, _ := newRotation(t)
			first := r.fingerprint(t, tc.file)
			r.Note = func(string, ...string) error { return errBoom }
			if err := tc.make(r, "one"); !errors.Is(err, errBoom) || r.fingerprint(t, tc.file) != first {
				t.Errorf("key %s became %s: %v", first, r.fingerprint(t, tc.file), err)
			}
		})
	}
	t.Run("OPR-29 tokens of all former keys are good until they are dropped", func(t *testing.T) {
		r, _ := newRotation(t)
		former := filepath.Join(r.PKI.dir, formerAccountsFile)
		for _, name := range []string{"one", "two", "two"} {
			if err := r.NewServiceAccountKey(name); err != nil {
				t.Fatal(err)
			}
		}
		if keys, err := keyutil.PublicKeysFromFile(former); err != nil || len(keys) != 2 {
			t.Errorf("%d former keys: %v", len(keys), err)
		}
		if text := read(t, former); strings.Contains(text, "PRIVATE") {
			t.Error("a key that signs no more is kept")
		}
		if _, err := keyutil.PrivateKeyFromFile(filepath.Join(r.PKI.dir, serviceAccountFile)); err != nil {
			t.Errorf("Kubernetes reads the key: %v", err)
		}
		if err := r.DropServiceAccountKeys(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(former); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("former keys: %v", err)
		}
	})
	t.Run("OPR-29 the newest encryption key is the first, and only it is left", func(t *testing.T) {
		r, _ := newRotation(t)
		names := func() (names []string) {
			keys, err := readEncryptionKeys(filepath.Join(r.PKI.dir, encryptionFile))
			if err != nil {
				t.Fatal(err)
			}
			for _, key := range keys {
				names = append(names, key.Name)
			}
			return names
		}
		if err := r.NewEncryptionKey("one"); err != nil {
			t.Fatal(err)
		}
		if name, err := r.EncryptionKey(); err != nil || name != "key-one" {
			t.Error(name, err)
		}
		if got := names(); !slices.Equal(got, []string{"key-one", "key"}) {
			t.Errorf("keys %v", got)
		}
		if err := r.DropEncryptionKeys(); err != nil || !slices.Equal(names(), []string{"key-one"}) {
			t.Errorf("keys %v: %v", names(), err)
		}
	})
}
