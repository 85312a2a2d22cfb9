package sealed

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/appliance/archive"
)

func TestMain(m *testing.M) {
	work = 8
	os.Exit(m.Run())
}

func file(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func key(t *testing.T) (secret, public Files) {
	t.Helper()
	s, p, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	return Files{Keys: file(t, s)}, Files{Keys: file(t, p+"\n")}
}

func seal(t *testing.T, to Files, text string) []byte {
	t.Helper()
	recipients, err := to.Recipients()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w, err := recipients.Writer(&out)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.WriteString(w, text)
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func unseal(t *testing.T, with Files, sealed []byte) (string, error) {
	t.Helper()
	keys, err := with.Secrets()
	if err != nil {
		t.Fatal(err)
	}
	r, err := keys.Reader(bytes.NewReader(sealed))
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(r)
	return string(text), err
}

func TestSealed(t *testing.T) {
	secret, public := key(t)
	otherSecret, _ := key(t)
	word := Files{Passphrase: file(t, "correct horse\n")}
	text := strings.Repeat("what is secret ", 10_000)
	byKey, byWord, plain := seal(t, public, text), seal(t, word, text), seal(t, Files{}, text)
	cut, changed := byKey[:len(byKey)-1], bytes.Clone(byKey)
	changed[len(changed)/2] ^= 1
	changedHead := bytes.Clone(byKey)
	changedHead[bytes.Index(changedHead, []byte("\n---"))+6] ^= 1
	for name, tc := range map[string]struct {
		with   Files
		sealed []byte
		want   error
	}{
		"the key decrypts":                      {secret, byKey, nil},
		"the passphrase decrypts":               {word, byWord, nil},
		"what is not encrypted needs no key":    {Files{}, plain, nil},
		"without a key":                         {Files{}, byKey, ErrLocked},
		"without a passphrase":                  {Files{}, byWord, ErrLocked},
		"another key":                           {otherSecret, byKey, ErrKey},
		"another passphrase":                    {Files{Passphrase: file(t, "wrong")}, byWord, ErrKey},
		"a passphrase in the place of a key":    {word, byKey, ErrKey},
		"a key for what is not encrypted":       {secret, plain, ErrPlain},
		"a head that was changed":               {secret, changedHead, archive.ErrDamaged},
		"what is shorter is refused in time":    {secret, cut, errAny},
		"what was changed is refused in time":   {secret, changed, errAny},
		"an empty file is no encrypted archive": {Files{}, nil, errEmpty},
	} {
		t.Run("APP-21 "+name, func(t *testing.T) {
			got, err := unseal(t, tc.with, tc.sealed)
			switch tc.want {
			case nil:
				if err != nil || got != text {
					t.Errorf("got %d bytes, %v", len(got), err)
				}
			case errEmpty:
				if err != nil || got != "" {
					t.Errorf("got %q, %v", got, err)
				}
			case errAny:
				if err == nil || !strings.HasPrefix(text, got) {
					t.Errorf("got %d bytes, %v", len(got), err)
				}
			default:
				if !errors.Is(err, tc.want) {
					t.Errorf("got %v, want %v", err, tc.want)
				}
			}
		})
	}
	if bytes.Contains(byKey, []byte("secret")) || bytes.Contains(byWord, []byte("secret")) {
		t.Error("APP-21 the text can be read")
	}
}

var errAny, errEmpty = errors.New("any"), errors.New("empty")

func TestFiles(t *testing.T) {
	secret, public := key(t)
	for name, tc := range map[string]struct {
		files Files
		read  func(Files) error
		want  string
	}{
		"a public key decrypts nothing":   {public, secrets, "has no secret keys"},
		"a secret key is no public one":   {secret, recipients, "read public keys in"},
		"keys and a passphrase":           {Files{Keys: public.Keys, Passphrase: public.Keys}, recipients, "not both"},
		"an empty file":                   {Files{Passphrase: file(t, "\n")}, recipients, "is empty"},
		"a passphrase of two lines":       {Files{Passphrase: file(t, "a\nb\n")}, secrets, "more than the one line"},
		"a file that does not exist":      {Files{Keys: "/none"}, secrets, "no such file"},
		"a file that is large by mistake": {Files{Keys: file(t, strings.Repeat("x", maxFile+1))}, recipients, "more than"},
	} {
		t.Run("APP-21 "+name, func(t *testing.T) {
			err := tc.read(tc.files)
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "AGE-SECRET-KEY-1") {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

func secrets(f Files) error    { _, err := f.Secrets(); return err }
func recipients(f Files) error { _, err := f.Recipients(); return err }
