package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

const sumsFile = "SHA256SUMS"

// writeSums lists the digests of all files, as sha256sum -c reads them.
func writeSums(dir string) error {
	entries, err := os.ReadDir(dir) // in the order of names
	if err != nil {
		return err
	}
	return create(filepath.Join(dir, sumsFile), func(w io.Writer) error {
		for _, entry := range entries {
			if entry.Name() == sumsFile {
				continue
			}
			digest, err := digestOf(filepath.Join(dir, entry.Name()))
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(w, "%s  %s\n", digest, entry.Name()); err != nil {
				return err
			}
		}
		return nil
	})
}

func digestOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
