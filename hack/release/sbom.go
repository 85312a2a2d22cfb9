package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/gardener-up/gardener-up/hack/release/spdx"
)

// writeSBOM lists the modules in a binary and in the programs that it embeds, as the binaries themselves say.
func (r *release) writeSBOM(p program) error {
	digest, err := digestOf(p.Path)
	if err != nil {
		return err
	}
	info, err := buildinfo.ReadFile(p.Path)
	if err != nil {
		return fmt.Errorf("read which modules are in %s: %w", p.Path, err)
	}
	document := spdx.New(spdx.Program{Name: r.Name, Version: r.Version, License: r.License, Homepage: r.Homepage, Digest: digest, Info: info}, r.Time.Format(time.RFC3339))
	slices.Sort(p.Inside)
	for _, file := range p.Inside {
		content, err := decompressed(file)
		if err != nil {
			return err
		}
		info, err := buildinfo.Read(bytes.NewReader(content))
		if err != nil {
			return fmt.Errorf("read which modules are in %s: %w", file, err)
		}
		document.Embed(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), info)
	}
	text, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(p.Path+".spdx.json", append(text, '\n'), 0o644)
}

func decompressed(file string) ([]byte, error) {
	compressed, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	reader, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	return reader.DecodeAll(compressed, nil)
}
