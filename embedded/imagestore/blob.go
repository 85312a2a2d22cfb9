package imagestore

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
)

// writeFrom stores a blob and checks its size and digest.
func (c contents) writeFrom(descriptor v1.Descriptor, open func() (io.ReadCloser, error)) error {
	content, err := open()
	if err != nil {
		return fmt.Errorf("read layer %s: %w", descriptor.Digest, err)
	}
	defer func() { _ = content.Close() }()
	return c.writeBlob(descriptor.Digest, io.LimitReader(content, descriptor.Size+1))
}

func (c contents) writeBytes(digest v1.Hash, content []byte) error {
	return c.writeBlob(digest, bytes.NewReader(content))
}

func (c contents) writeBlob(digest v1.Hash, content io.Reader) error {
	if digest.Algorithm != "sha256" {
		return fmt.Errorf("content %s: only SHA-256 digests are supported", digest)
	}
	return atomicfile.WriteBy(c.path(digest), 0o600, func(w io.Writer) error {
		sum := sha256.New()
		if _, err := io.Copy(io.MultiWriter(w, sum), content); err != nil {
			return err
		}
		if got := hex.EncodeToString(sum.Sum(nil)); got != digest.Hex {
			return fmt.Errorf("content has digest sha256:%s instead of %s", got, digest)
		}
		return nil
	})
}
