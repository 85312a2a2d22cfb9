package secretsmanager

import (
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // the htpasswd format asks for it
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
)

// BasicAuth describes a user name and a random password. Data: username, password, and auth (an htpasswd line).
type BasicAuth struct {
	Name           string
	Username       string
	PasswordLength int
}

func (b BasicAuth) name() string { return b.Name }

func (b BasicAuth) generate(input) (map[string][]byte, error) {
	password, err := randomText(b.PasswordLength)
	if err != nil {
		return nil, fmt.Errorf("generate password %q: %w", b.Name, err)
	}
	sum := sha1.Sum([]byte(password)) //nolint:gosec // see the import
	line := b.Username + ":{SHA}" + base64.StdEncoding.EncodeToString(sum[:])
	return map[string][]byte{KeyUsername: []byte(b.Username), KeyPassword: []byte(password), KeyAuth: []byte(line)}, nil
}

func (BasicAuth) bundle(_, _ map[string][]byte) map[string][]byte { return nil }

// StaticTokens describes the token file of a kube-apiserver. Data: static_tokens.csv.
type StaticTokens struct {
	Name   string
	Tokens []StaticToken
}

// StaticToken is a user of the token file.
type StaticToken struct {
	Username string
	UserID   string
	Groups   []string
}

func (s StaticTokens) name() string { return s.Name }

func (s StaticTokens) generate(input) (map[string][]byte, error) {
	var csv strings.Builder
	for _, token := range s.Tokens {
		secret, err := randomText(128)
		if err != nil {
			return nil, fmt.Errorf("generate token of %q: %w", token.Username, err)
		}
		fmt.Fprintf(&csv, "%s,%s,%s", secret, token.Username, token.UserID)
		if len(token.Groups) > 0 {
			fmt.Fprintf(&csv, ",%q", strings.Join(token.Groups, ","))
		}
		csv.WriteString("\n")
	}
	return map[string][]byte{KeyStaticTokens: []byte(csv.String())}, nil
}

func (StaticTokens) bundle(_, _ map[string][]byte) map[string][]byte { return nil }

// TokenFor returns the token of a user from the data of a StaticTokens secret, empty if there is none.
func TokenFor(data map[string][]byte, username string) string {
	for line := range strings.Lines(string(data[KeyStaticTokens])) {
		if fields := strings.SplitN(strings.TrimSpace(line), ",", 3); len(fields) == 3 && fields[1] == username {
			return fields[0]
		}
	}
	return ""
}

// EncryptionKey describes a key for the encryption of objects in etcd. Data: key (its name), secret (base64).
type EncryptionKey struct {
	Name string
	// Bytes is the length of the key, 32 for aescbc, aesgcm and secretbox.
	Bytes int
}

func (e EncryptionKey) name() string { return e.Name }

func (e EncryptionKey) generate(in input) (map[string][]byte, error) {
	raw := make([]byte, e.Bytes)
	if _, err := rand.Read(raw); err != nil {
		return nil, fmt.Errorf("generate key %q: %w", e.Name, err)
	}
	return map[string][]byte{
		KeyEncryptionKey:  fmt.Appendf(nil, "key%d", in.now.Unix()),
		KeyEncryptionData: []byte(base64.StdEncoding.EncodeToString(raw)),
	}, nil
}

func (EncryptionKey) bundle(_, _ map[string][]byte) map[string][]byte { return nil }

// randomText returns hexadecimal digits.
func randomText(length int) (string, error) {
	raw := make([]byte, (length+1)/2)
	if _, err := rand.Read(raw); err != nil {
		return "", err
	}
	return hex.EncodeToString(raw)[:length], nil
}

// TokenID derives the public half of a bootstrap token from its purpose: six characters that stay the same.
func TokenID(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "/")))
	return hex.EncodeToString(sum[:])[:6]
}
