package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"runtime"
	"time"
)

// image is a container image: tar layers, lowest first, and the command that runs in it.
type image struct {
	names      []string // with registry and tag
	layers     [][]byte // uncompressed tars
	entrypoint []string
	env        []string
}

// config is the part of an image's configuration that the runtime reads.
type config struct {
	Architecture string    `json:"architecture"`
	OS           string    `json:"os"`
	Created      time.Time `json:"created"`
	Config       struct {
		Entrypoint []string `json:"Entrypoint"`
		Env        []string `json:"Env"`
	} `json:"config"`
	RootFS struct {
		Type    string   `json:"type"`
		DiffIDs []string `json:"diff_ids"`
	} `json:"rootfs"`
}

// manifestEntry is one image in manifest.json of an archive as docker save writes it.
type manifestEntry struct {
	Config   string
	RepoTags []string
	Layers   []string
}

// writeArchive writes images in the format of docker save, each layer once. Layers are not compressed: the archive never leaves this machine,
// and each new node would take a second of processor time for 100 MB. The same images give the same bytes.
func writeArchive(w io.Writer, images []image) error {
	archive := tar.NewWriter(w)
	manifest := []manifestEntry{}
	written := map[string]bool{}
	for _, img := range images {
		entry := manifestEntry{RepoTags: img.names}
		cfg := config{Architecture: runtime.GOARCH, OS: "linux"}
		cfg.Config.Entrypoint, cfg.Config.Env = img.entrypoint, img.env
		cfg.RootFS.Type = "layers"
		for _, layer := range img.layers {
			digest := digestOf(layer)
			name := digest + ".tar"
			cfg.RootFS.DiffIDs = append(cfg.RootFS.DiffIDs, "sha256:"+digest)
			entry.Layers = append(entry.Layers, name)
			if written[name] {
				continue
			}
			written[name] = true
			if err := addFile(archive, name, 0o644, layer); err != nil {
				return err
			}
		}
		data, err := json.Marshal(cfg)
		if err != nil {
			return fmt.Errorf("encode image configuration: %w", err)
		}
		entry.Config = digestOf(data) + ".json"
		if err := addFile(archive, entry.Config, 0o644, data); err != nil {
			return err
		}
		manifest = append(manifest, entry)
	}
	data, err := json.Marshal(manifest)
	if err != nil {
		return fmt.Errorf("encode manifest: %w", err)
	}
	if err := addFile(archive, "manifest.json", 0o644, data); err != nil {
		return err
	}
	return archive.Close()
}

// fileLayer makes a layer of programs from a map: path in the image to path on this machine.
func fileLayer(files map[string]string) ([]byte, error) {
	buffer := bytes.Buffer{}
	archive := tar.NewWriter(&buffer)
	for _, target := range sortedKeys(files) {
		data, err := os.ReadFile(files[target])
		if err != nil {
			return nil, fmt.Errorf("read program: %w", err)
		}
		if err := addFile(archive, target, 0o755, data); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, fmt.Errorf("write layer: %w", err)
	}
	return buffer.Bytes(), nil
}

// addFile adds a file owned by root without a time, so that the same contents give the same archives.
func addFile(archive *tar.Writer, name string, mode int64, data []byte) error {
	header := &tar.Header{Name: path.Clean(name), Mode: mode, Size: int64(len(data)), Typeflag: tar.TypeReg, Format: tar.FormatPAX}
	if err := archive.WriteHeader(header); err != nil {
		return fmt.Errorf("write archive: %w", err)
	}
	if _, err := archive.Write(data); err != nil {
		return fmt.Errorf("write archive: %w", err)
	}
	return nil
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
