package collect

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"

	"github.com/gardener-up/gardener-up/appliance/bundle"
)

const (
	chartFile = "Chart.yaml"
	// chartRepository is before the names of charts that are in no registry.
	chartRepository = "gardener.local/charts/"
	// Types of the configuration and the layer of charts in registries.
	chartConfig = "application/vnd.cncf.helm.config.v1+json"
	chartLayer  = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
)

// chartDirectory packs a chart. The same files give the same archive, whenever they were changed.
func (c *collection) chartDirectory(dir string) error {
	found, err := loader.LoadDir(dir)
	if err != nil {
		return err
	}
	archive, err := pack(found)
	if err != nil {
		return err
	}
	return c.addChart(found, archive)
}

// chartArchive takes a packed chart as it is.
func (c *collection) chartArchive(file string) error {
	found, err := loader.LoadFile(file)
	if err != nil {
		return err
	}
	archive, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return c.addChart(found, archive)
}

func pack(found *chart.Chart) ([]byte, error) {
	var packed bytes.Buffer
	compressed := gzip.NewWriter(&packed)
	archive := tar.NewWriter(compressed)
	files := slices.Clone(found.Raw)
	slices.SortFunc(files, func(a, b *chart.File) int { return strings.Compare(a.Name, b.Name) })
	for _, file := range files {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: path.Join(found.Name(), file.Name), Size: int64(len(file.Data)), Mode: 0o644, ModTime: time.Unix(0, 0)}
		if err := archive.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := archive.Write(file.Data); err != nil {
			return nil, err
		}
	}
	return packed.Bytes(), errors.Join(archive.Close(), compressed.Close())
}

// addChart adds a chart in the form in which Helm pushes it to registries.
func (c *collection) addChart(found *chart.Chart, archive []byte) error {
	if err := found.Validate(); err != nil {
		return err
	}
	metadata, err := json.Marshal(found.Metadata)
	if err != nil {
		return err
	}
	config, err := c.blobs.put(metadata)
	if err != nil {
		return err
	}
	layer, err := c.blobs.put(archive)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(v1.Manifest{
		SchemaVersion: 2, MediaType: types.OCIManifestSchema1,
		Config: v1.Descriptor{MediaType: chartConfig, Digest: config, Size: int64(len(metadata))},
		Layers: []v1.Descriptor{{MediaType: chartLayer, Digest: layer, Size: int64(len(archive))}},
	})
	if err != nil {
		return err
	}
	digest, err := c.blobs.put(raw)
	if err != nil {
		return err
	}
	version := strings.ReplaceAll(found.Metadata.Version, "+", "_") // as Helm does: tags have no plus sign
	name := fmt.Sprintf("%s%s:%s", chartRepository, found.Name(), version)
	return c.addManifest(bundle.Chart, name, v1.Descriptor{MediaType: types.OCIManifestSchema1, Digest: digest, Size: int64(len(raw))})
}
