package supportbundle

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/supportbundle/redact"
)

// largestFile bounds what is read of a file with secrets. Bundles of certificates are the largest.
const largestFile = 4 << 20

// KnowFiles adds the secrets in the files of the landscape: keys, kubeconfigs and settings.
func KnowFiles(known *redact.Known, p paths.Paths) error {
	var errs []error
	for _, dir := range []string{p.PKI(), p.Kubeconfigs(), p.Settings("")} {
		errs = append(errs, knowDir(known, dir))
	}
	return errors.Join(errs...)
}

func knowDir(known *redact.Known, dir string) error {
	return filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		return KnowFile(known, file)
	})
}

// KnowFile adds the secrets in a file. A missing file has none.
func KnowFile(known *redact.Known, file string) error {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() > largestFile {
		return nil
	}
	if err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	known.AddText(text)
	return nil
}

// KnowCluster adds the values of all Secrets of a cluster, and of InternalSecrets where there are any.
func KnowCluster(ctx context.Context, known *redact.Known, cluster Cluster) error {
	c, err := cluster.Connect(ctx)
	if err != nil {
		return fmt.Errorf("read the secrets of %s: %w", cluster.Name, err)
	}
	for _, kind := range secretKinds {
		err := eachOf(ctx, c, kind, func(object *unstructured.Unstructured) error {
			addSecret(known, object)
			return nil
		})
		if err != nil && !errors.Is(err, ErrNothing) {
			return fmt.Errorf("read the secrets of %s: %w", cluster.Name, err)
		}
	}
	return nil
}

func addSecret(known *redact.Known, object *unstructured.Unstructured) {
	data, _, _ := unstructured.NestedStringMap(object.Object, "data")
	for key, encoded := range data {
		if value, err := base64.StdEncoding.DecodeString(encoded); err == nil {
			known.AddValue(key, value)
		}
	}
}
