package pki

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"text/template"

	"sigs.k8s.io/yaml"
)

// encryptionKeySize is the key size of the cipher secretbox.
const encryptionKeySize = 32

// encryptionFile is below the directory of a PKI.
const encryptionFile = "garden/encryption.yaml"

// encryption lists the resources that API servers of the garden encrypt in etcd. Objects that were stored in plain text
// before stay readable. A server ignores resources that it does not serve.
var encryption = template.Must(template.New("encryption").Parse(`apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
- resources:
  - secrets
  - shootstates.core.gardener.cloud
  - internalsecrets.core.gardener.cloud
  - controllerdeployments.core.gardener.cloud
  - controllerregistrations.core.gardener.cloud
  providers:
  - secretbox:
      keys:
{{- range . }}
      - name: {{ .Name }}
        secret: {{ .Secret }}
{{- end }}
  - identity: {}
`))

// encryptionConfig makes the file only once, since objects in etcd cannot be read with another key.
func (p *PKI) encryptionConfig() (string, error) {
	file := filepath.Join(p.dir, encryptionFile)
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		if err != nil {
			err = fmt.Errorf("look for encryption configuration: %w", err)
		}
		return file, err
	}
	if p.complete {
		return "", lostKey(file)
	}
	key := make([]byte, encryptionKeySize)
	if _, err := rand.Read(key); err != nil {
		return "", fmt.Errorf("make encryption key: %w", err)
	}
	return file, writeEncryption(file, []encryptionKey{{Name: "key", Secret: base64.StdEncoding.EncodeToString(key)}})
}

// encryptionKey is a key as the configuration has it. The first one of a configuration encrypts, all of them decrypt.
type encryptionKey struct{ Name, Secret string }

func writeEncryption(file string, keys []encryptionKey) error {
	var content bytes.Buffer
	if err := encryption.Execute(&content, keys); err != nil {
		return fmt.Errorf("write encryption configuration: %w", err)
	}
	return WriteFile(file, content.Bytes())
}

func readEncryptionKeys(file string) ([]encryptionKey, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read encryption configuration: %w", err)
	}
	keys, err := parseEncryptionKeys(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; put the file back from a backup", file, err)
	}
	return keys, nil
}

// parseEncryptionKeys returns at least one key, or an error without the text of the configuration.
func parseEncryptionKeys(content []byte) (keys []encryptionKey, err error) {
	var config struct {
		Resources []struct {
			Providers []struct {
				Secretbox struct{ Keys []encryptionKey }
			}
		}
	}
	if err := yaml.Unmarshal(content, &config); err != nil {
		return nil, errors.New("no encryption configuration") // without the text, which may be a key
	}
	for _, resource := range config.Resources {
		for _, provider := range resource.Providers {
			keys = append(keys, provider.Secretbox.Keys...)
		}
	}
	if len(keys) == 0 {
		return nil, errors.New("no encryption key")
	}
	return keys, nil
}

// encryptionIdentity tells the keys and their order.
func encryptionIdentity(keys []encryptionKey) []byte {
	var text bytes.Buffer
	for _, key := range keys {
		fmt.Fprintf(&text, "%q %q\n", key.Name, key.Secret)
	}
	return text.Bytes()
}
