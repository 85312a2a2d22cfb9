package load

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// nameAnnotation holds the whole name of an image in an index, for containerd.
const nameAnnotation = "io.containerd.image.name"

// archive writes an OCI image layout with the image. Unlike an archive of Docker's it keeps the manifest, so that containerd names the image
// by the digest that is known here.
func archive(w io.Writer, name string, image v1.Image) error {
	manifest, err := image.Manifest()
	if err != nil {
		return err
	}
	raw, err := image.RawManifest()
	if err != nil {
		return err
	}
	configuration, err := image.RawConfigFile()
	if err != nil {
		return err
	}
	digest, err := image.Digest()
	if err != nil {
		return err
	}
	mediaType, err := image.MediaType()
	if err != nil {
		return err
	}
	index, err := json.Marshal(v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: []v1.Descriptor{{
		MediaType: mediaType, Size: int64(len(raw)), Digest: digest, Annotations: map[string]string{nameAnnotation: name},
	}}})
	if err != nil {
		return err
	}
	files := tar.NewWriter(w)
	for _, small := range []struct {
		path string
		text []byte
	}{
		{"oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`)}, {"index.json", index}, {place(digest), raw}, {place(manifest.Config.Digest), configuration},
	} {
		if err := file(files, small.path, int64(len(small.text)), bytes.NewReader(small.text)); err != nil {
			return err
		}
	}
	layers, err := image.Layers()
	if err != nil {
		return err
	}
	written := map[v1.Hash]bool{}
	for _, layer := range layers {
		digest, err := layer.Digest()
		if err != nil {
			return err
		}
		if written[digest] {
			continue
		}
		written[digest] = true
		if err := layerFile(files, digest, layer); err != nil {
			return fmt.Errorf("read layer %s: %w", digest, err)
		}
	}
	return files.Close()
}

func layerFile(files *tar.Writer, digest v1.Hash, layer v1.Layer) error {
	size, err := layer.Size()
	if err != nil {
		return err
	}
	content, err := layer.Compressed()
	if err != nil {
		return err
	}
	defer content.Close()
	return file(files, place(digest), size, content)
}

func place(digest v1.Hash) string { return "blobs/" + digest.Algorithm + "/" + digest.Hex }

func file(files *tar.Writer, path string, size int64, content io.Reader) error {
	if err := files.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: path, Size: size, Mode: 0o644}); err != nil {
		return err
	}
	_, err := io.Copy(files, content)
	return err
}
