package secretsmanager

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Config describes a secret. It is one of Certificate, Key, BasicAuth, StaticTokens and EncryptionKey.
type Config interface {
	// name is the stable name of the secret.
	name() string
	// generate makes the data. ca signs it if the configuration needs a signature.
	generate(in input) (map[string][]byte, error)
	// bundle joins the current and the old data for verifiers that must trust both; nil if there is nothing to trust.
	bundle(current, old map[string][]byte) map[string][]byte
}

// checksum identifies a configuration by its JSON form.
func checksum(config Config) (string, error) {
	raw, err := json.Marshal(config)
	if err != nil {
		return "", fmt.Errorf("encode configuration of secret %q: %w", config.name(), err)
	}
	return digest(raw), nil
}

func digest(parts ...[]byte) string {
	sum := sha256.Sum256(bytes.Join(parts, []byte{0}))
	return hex.EncodeToString(sum[:])
}

// digestOf identifies the content of a secret.
func digestOf(data map[string][]byte) string {
	var parts [][]byte
	for _, key := range slices.Sorted(maps.Keys(data)) {
		parts = append(parts, []byte(key), data[key])
	}
	return digest(parts...)
}

func joinPEM(parts ...[]byte) []byte {
	var out []byte
	for _, part := range parts {
		part = bytes.TrimSpace(part)
		if len(part) > 0 {
			out = append(append(out, part...), '\n')
		}
	}
	return out
}
