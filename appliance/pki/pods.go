package pki

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gardener-up/gardener-up/embedded/podsignature"
)

// ensurePods makes the key once: with another key, pods that were signed before would stop until they are signed again.
func (p *PKI) ensurePods(b *Bundle) (err error) {
	file := filepath.Join(p.dir, podKey)
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		if p.complete {
			return lostKey(file)
		}
		key, err := podsignature.NewKey()
		if err != nil {
			return err
		}
		if err := WriteFile(file, key); err != nil {
			return err
		}
	}
	b.Pods, err = Pods(p.dir)
	return err
}

// Pods reads the signer of pods from the directory of a PKI. If there is no key, the error is fs.ErrNotExist.
func Pods(dir string) (*podsignature.Signer, error) {
	file := filepath.Join(dir, podKey)
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read key for signatures of pods: %w", err)
	}
	signer, err := podsignature.ParseKey(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; put the file back from a backup", file, err)
	}
	return signer, nil
}
