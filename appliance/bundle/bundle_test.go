package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// written makes a small bundle.
func written(t *testing.T, keyFile string) string {
	t.Helper()
	dir := t.TempDir()
	key, _, err := OpenKey(keyFile)
	if err != nil {
		t.Fatal(err)
	}
	list := List{Version: "v1", Architectures: []string{"amd64"}, Contents: []Content{{Kind: Chart, Name: "a", Digest: "sha256:b"}}}
	for _, text := range []string{"layout", "index", "some content", strings.Repeat("x", 512)} {
		sum := sha256.Sum256([]byte(text))
		digest := hex.EncodeToString(sum[:])
		file := File{Path: blobs + "/" + digest, SHA256: digest, Size: int64(len(text))}
		switch text {
		case "layout":
			file.Path = layoutFile
		case "index":
			file.Path = indexFile
		}
		path := filepath.Join(dir, file.Path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
		list.Files = append(list.Files, file)
	}
	out := filepath.Join(t.TempDir(), "bundle")
	if _, err := Write(out, list, key, dir); err != nil {
		t.Fatal(err)
	}
	return out
}

func verify(path string) error {
	b, err := Open(path, nil)
	if err != nil {
		return err
	}
	defer func() { _ = b.Close() }()
	return b.Verify()
}

func TestVerify(t *testing.T) {
	path := written(t, filepath.Join(t.TempDir(), "key"))
	if err := verify(path); err != nil {
		t.Fatal(err)
	}
	if !Is(path) {
		t.Error("it does not look like a bundle")
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := filepath.Join(t.TempDir(), "changed")
	refused := func(t *testing.T, what string, content []byte) {
		t.Helper()
		if err := os.WriteFile(changed, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := verify(changed); !errors.Is(err, ErrDamaged) {
			t.Fatalf("with %s the error is %v", what, err)
		}
	}
	t.Run("APP-24 every changed byte is refused", func(t *testing.T) {
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = file.Close() }()
		for i, byte := range whole {
			if _, err := file.WriteAt([]uint8{byte ^ 1}, int64(i)); err != nil {
				t.Fatal(err)
			}
			if err := verify(path); !errors.Is(err, ErrDamaged) {
				t.Fatalf("with another byte %d the error is %v", i, err)
			}
			if _, err := file.WriteAt([]uint8{byte}, int64(i)); err != nil {
				t.Fatal(err)
			}
		}
	})
	t.Run("APP-24 a shorter and a longer file are refused", func(t *testing.T) {
		refused(t, "its half", whole[:len(whole)/2])
		refused(t, "one byte less", whole[:len(whole)-1])
		refused(t, "one byte more", append(whole[:len(whole):len(whole)], 0))
		refused(t, "nothing", nil)
	})
}

func TestKeys(t *testing.T) {
	mine, others := filepath.Join(t.TempDir(), "mine"), filepath.Join(t.TempDir(), "others")
	path, foreign := written(t, mine), written(t, others)
	public, err := ReadPublicKey(mine + PublicExtension)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("APP-24 a bundle signed by the named key opens", func(t *testing.T) {
		b, err := Open(path, public)
		if err != nil {
			t.Fatal(err)
		}
		_ = b.Close()
	})
	t.Run("APP-24 a bundle signed by another key is refused", func(t *testing.T) {
		if _, err := Open(foreign, public); !errors.Is(err, ErrForeign) {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("APP-24 a key is for its owner only and made once", func(t *testing.T) {
		info, err := os.Stat(mine)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info, err)
		}
		first, _, err := OpenKey(mine)
		if err != nil {
			t.Fatal(err)
		}
		if again, made, err := OpenKey(mine); err != nil || made || !again.Equal(first) {
			t.Errorf("another key: made %v, %v", made, err)
		}
	})
	t.Run("APP-24 the error about a wrong key has nothing of it", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "key")
		if err := os.WriteFile(file, []byte("-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := OpenKey(file); err == nil || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "c2VjcmV0") {
			t.Errorf("error is %v", err)
		}
	})
}
