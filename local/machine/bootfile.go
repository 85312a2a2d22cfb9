package machine

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
	"github.com/gardener-up/gardener-up/local/userdata"
)

const (
	// bootFile is the file beside the user data that changes exactly when a machine has to boot again: it names the class of the machine
	// and has a checksum of what a running kubelet does not read again.
	bootFile = "boot"
	// bootedFile remembers, below the root directory, the class from which the machine booted last.
	bootedFile = "/var/lib/machine-class"
	// configPath is the configuration of the kubelet.
	configPath = kubeletDir + "/config/kubelet"
)

// bootData is the content of bootFile. User data that cannot be read has none: the machine reports it when it boots.
func bootData(class string, userData []byte) []byte {
	document, err := userdata.Decode(userData)
	if err != nil {
		return nil
	}
	h := sha256.New()
	for _, file := range document.Files {
		if content, err := file.Bytes(); err == nil && file.Path == configPath {
			h.Write(content)
		}
	}
	for _, unit := range document.Units {
		if unit.Name == kubeletUnit {
			fmt.Fprintf(h, "%s %v", unit.Content, unit.DropIns)
		}
	}
	return []byte(class + "\n" + hex.EncodeToString(h.Sum(nil)) + "\n")
}

// fingerprint is a short form of what a machine boots from.
func fingerprint(data map[string][]byte) string { return bootPrint(data[bootFile]) }

// bootPrint is a short form of the content of bootFile.
func bootPrint(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])[:16]
}

// watchArgs make the kubelet end when the machine has to boot again, and the keeper of the machine until then.
func watchArgs(root, userDataFile string) ([]string, error) {
	source, err := filepath.Abs(userDataFile)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(filepath.Dir(source), bootFile)
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // the Secret was written by an older version
	} else if err != nil {
		return nil, err
	}
	return []string{"--exit-on-change=" + path, "--machine-root=" + root, "--user-data=" + source, "--booted-from=" + bootPrint(content)}, nil
}

// forgetCredentials removes the certificates of the kubelet if the machine has become one of another class. The kubelet requests new
// ones, so a machine that was updated in place while authorities rotate has the same as a new machine.
func forgetCredentials(root, userDataFile string) error {
	content, err := os.ReadFile(filepath.Join(filepath.Dir(userDataFile), bootFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	class, _, _ := strings.Cut(string(content), "\n")
	path := within(root, bootedFile)
	former, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(former) > 0 && string(former) != class {
		for _, name := range []string{kubeletDir + "/pki", kubeletDir + "/kubeconfig-real"} {
			if err := os.RemoveAll(within(root, name)); err != nil {
				return err
			}
		}
	}
	return atomicfile.Update(path, []byte(class), 0o600, 0o755)
}
