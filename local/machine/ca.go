package machine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gardener-up/gardener-up/local/userdata"
)

const (
	// caPath is where the kubelet of a machine reads the authorities of its clients.
	caPath = kubeletDir + "/ca.crt"
	// caFile is the file beside the user data with the same content.
	caFile = "kubelet-ca.crt"
)

// kubeletCA finds the authorities in user data; nil if there are none.
func kubeletCA(userData []byte) []byte {
	document, err := userdata.Decode(userData)
	if err != nil {
		return nil // the machine reports it when it boots
	}
	for _, file := range document.Files {
		if file.Path != caPath {
			continue
		}
		if content, err := file.Bytes(); err == nil {
			return content
		}
	}
	return nil
}

// linkCA makes the file of the authorities a link to the one beside the user data, if there is one. The node of the machine's pod
// updates that one, and the kubelet reads it again: after a rotation it trusts no old authority, and need not be restarted.
func linkCA(root string, file userdata.File, userDataFile string) (bool, error) {
	if file.Path != caPath {
		return false, nil
	}
	source, err := filepath.Abs(filepath.Join(filepath.Dir(userDataFile), caFile))
	if err != nil {
		return false, err
	}
	if _, err := os.Stat(source); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	path := within(root, caPath)
	if target, err := os.Readlink(path); err == nil && target == source {
		return true, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return false, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	return true, os.Symlink(source, path)
}
