package machine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/go-logr/logr"
	"github.com/spf13/pflag"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
	"github.com/gardener-up/gardener-up/local/userdata"
)

const (
	// lookPeriod is the interval for reading the user data. It is a key of a Secret, whose directory is replaced as a whole.
	lookPeriod = time.Second
	// keysPeriod is how long the file of the user for SSH may differ from the keys of the user data.
	keysPeriod = 30 * time.Second

	// keysPath are the keys of the user for SSH, and keysOfUser is the file that its SSH server would read.
	keysPath   = "/var/lib/gardener-user-authorized-keys"
	keysOfUser = "/home/gardener/.ssh/authorized_keys"
	// tokenPath is a token for the first start. The node agent removes it.
	tokenPath = "/var/lib/gardener-node-agent/credentials/bootstrap-token"
)

// Keeper maintains the files of a machine whose kubelet runs.
type Keeper struct {
	root, userData string
	booted         string // the form of bootFile from which the machine has booted
}

// Flags declares the flags that Prepare sets.
func (k *Keeper) Flags(flags *pflag.FlagSet) {
	flags.StringVar(&k.root, "machine-root", "", "directory of the machine, whose node agent this process is, too (default none)")
	flags.StringVar(&k.userData, "user-data", "", "file with the document that the machine boots from")
	flags.StringVar(&k.booted, "booted-from", "", "identity of what the machine has booted from")
}

// Root is the directory of the machine; empty if the process is no machine.
func (k *Keeper) Root() string { return k.root }

// Keep writes the files of the user data when they change, and takes back what others write into the file of the user for SSH.
func (k *Keeper) Keep(ctx context.Context, log logr.Logger) {
	tick := time.NewTicker(lookPeriod)
	defer tick.Stop()
	var written []byte
	var paths []string
	var keysWritten time.Time
	for {
		data, err := os.ReadFile(k.userData)
		if err == nil && !bytes.Equal(data, written) {
			if paths, err = k.write(data, paths); err == nil {
				written, keysWritten = data, time.Time{}
			}
		}
		if err == nil && time.Since(keysWritten) >= keysPeriod {
			keysWritten = time.Now()
			err = k.writeKeys()
		}
		if err != nil {
			log.Error(err, "Could not keep the files of this machine")
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// write writes the files of user data, removes those that were written before and are not in it, and returns their paths.
func (k *Keeper) write(data []byte, before []string) ([]string, error) {
	document, err := userdata.Decode(data)
	if err != nil {
		return before, err
	}
	var paths []string
	for _, file := range document.Files {
		paths = append(paths, file.Path)
		if file.Path == tokenPath {
			continue
		}
		if linked, err := linkCA(k.root, file, k.userData); err != nil {
			return before, fmt.Errorf("link file %s: %w", file.Path, err)
		} else if linked {
			continue
		}
		if err := writeFile(k.root, file); err != nil {
			return before, fmt.Errorf("write file %s: %w", file.Path, err)
		}
	}
	for _, path := range before {
		if slices.Contains(paths, path) {
			continue
		}
		if err := os.Remove(within(k.root, path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return before, fmt.Errorf("remove file: %w", err)
		}
	}
	return paths, nil
}

// writeKeys gives the user for SSH the keys of the user data, and no others.
func (k *Keeper) writeKeys() error {
	keys, err := os.ReadFile(within(k.root, keysPath))
	path := within(k.root, keysOfUser)
	switch {
	case errors.Is(err, fs.ErrNotExist): // nobody may log in
		if err = os.Remove(path); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	case err == nil:
		err = atomicfile.Update(path, keys, 0o600, 0o700)
	}
	if err != nil {
		return fmt.Errorf("maintain the keys for SSH: %w", err)
	}
	return nil
}
