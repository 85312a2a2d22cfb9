package pki

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Expiry is when a certificate ends.
type Expiry struct {
	// File is below the directory of the certificates.
	File string
	Ends time.Time
	// Authority is one that signs others, which is not renewed.
	Authority bool
}

// Expiries returns when all certificates below a directory end.
func Expiries(dir string) ([]Expiry, error) {
	var all []Expiry
	err := filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".crt") {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
			cert, err := x509.ParseCertificate(block.Bytes)
			if err != nil {
				return fmt.Errorf("read %s: %w", file, err)
			}
			all = append(all, Expiry{File: name, Ends: cert.NotAfter, Authority: cert.IsCA})
		}
		return nil
	})
	return all, err
}
