package manifest

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/andybalholm/brotli"

	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// largest bounds what a value may decompress to. A Secret holds one MiB, and YAML compresses to about a tenth.
const largest = 64 << 20

// Compress compresses data for keys that end with BrotliCompressionSuffix, which resource managers decompress.
func Compress(raw []byte) ([]byte, error) {
	var compressed bytes.Buffer
	writer := brotli.NewWriter(&compressed)
	if _, err := writer.Write(raw); err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	if err := writer.Close(); err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	return compressed.Bytes(), nil
}

// decompress returns the documents of a value. The suffix of the key says whether it is compressed.
func decompress(key string, value []byte) ([]byte, error) {
	if !strings.HasSuffix(key, resourcesv1alpha1.BrotliCompressionSuffix) {
		return value, nil
	}
	raw, err := io.ReadAll(io.LimitReader(brotli.NewReader(bytes.NewReader(value)), largest+1))
	if err != nil {
		return nil, err
	}
	if len(raw) > largest {
		return nil, fmt.Errorf("more than %d bytes", largest)
	}
	return raw, nil
}
