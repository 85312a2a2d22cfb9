package nodeagent

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
)

// programDir contains programs from images, one directory per image.
const programDir = "/opt/gardener/images"

// extract copies a file from an image by means of containerd, which pulls the image if necessary, and returns the
// location of the copy. Files that were copied before stay.
func extract(ctx context.Context, image, path string) (string, error) {
	sum := sha256.Sum256([]byte(image))
	target := filepath.Join(programDir, hex.EncodeToString(sum[:])[:12], filepath.Base(path))
	if _, err := os.Stat(target); err == nil {
		return target, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return "", err
	}
	mount, err := os.MkdirTemp("", "gardener-image-")
	if err != nil {
		return "", err
	}
	defer os.Remove(mount)
	if err := ctr(ctx, "images", "mount", image, mount); err != nil {
		if err := ctr(ctx, "images", "pull", image); err != nil {
			return "", err
		}
		if err := ctr(ctx, "images", "mount", image, mount); err != nil {
			return "", err
		}
	}
	defer ctr(context.WithoutCancel(ctx), "images", "unmount", "--rm", mount) //nolint:errcheck // what is left is mounted over next time
	if err := copyProgram(filepath.Join(mount, filepath.Clean("/"+path)), target); err != nil {
		return "", fmt.Errorf("copy %s from image %s: %w", path, image, err)
	}
	return target, nil
}

func copyProgram(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	return atomicfile.WriteFrom(to, source, 0o755)
}

// ctr calls the client of containerd, which every machine with containerd has.
func ctr(ctx context.Context, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	var output bytes.Buffer
	cmd := exec.CommandContext(ctx, "ctr", append([]string{"--namespace=k8s.io"}, args...)...)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = io.Discard, &output, 5*time.Second
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("ctr %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(output.String()))
	}
	return nil
}
