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
      - name: key
        secret: {{ . }}
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
	var content bytes.Buffer
	if err := encryption.Execute(&content, base64.StdEncoding.EncodeToString(key)); err != nil {
		return "", fmt.Errorf("write encryption configuration: %w", err)
	}
	return file, WriteFile(file, content.Bytes())
}
