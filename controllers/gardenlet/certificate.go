package gardenlet

import (
	"fmt"
	"os"
	"time"

	"k8s.io/client-go/util/cert"
)

// certificateEnd returns when the first certificate in a file expires.
func certificateEnd(file string) (time.Time, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return time.Time{}, err
	}
	certificates, err := cert.ParseCertsPEM(content)
	if err != nil {
		return time.Time{}, fmt.Errorf("parse %s: %w", file, err)
	}
	return certificates[0].NotAfter, nil
}
