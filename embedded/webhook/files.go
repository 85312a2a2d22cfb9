package webhook

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// readFiles reads tls.crt and tls.key, and ca.crt if it exists. Without ca.crt, API servers trust tls.crt itself, which
// works for self-signed certificates.
func readFiles(dir string) (map[string][]byte, error) {
	data := map[string][]byte{}
	for _, name := range []string{keyCert, keyKey, keyCA} {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && !(name == keyCA && errors.Is(err, fs.ErrNotExist)) {
			return nil, fmt.Errorf("read certificate of webhooks: %w", err)
		}
		data[name] = content
	}
	if len(data[keyCA]) == 0 {
		data[keyCA] = data[keyCert]
	}
	return data, nil
}
