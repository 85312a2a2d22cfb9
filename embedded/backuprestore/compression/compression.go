// Package compression compresses snapshots. The suffix of a snapshot's name identifies the algorithm.
package compression

import (
	"compress/lzw"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// suffixes of the algorithms, by the name in flags and in the Etcd.
var suffixes = map[string]string{"": "", "none": "", "gzip": ".gz", "zlib": ".zlib", "lzw": ".Z", "zstd": ".zst"}

// Suffix returns the suffix of names for an algorithm: gzip, zlib, lzw, zstd or none.
func Suffix(algorithm string) (string, error) {
	suffix, ok := suffixes[algorithm]
	if !ok {
		return "", fmt.Errorf("unknown compression %q: use gzip, zlib, lzw, zstd or none", algorithm)
	}
	return suffix, nil
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

const litWidth = 8 // bits of a byte

// Writer compresses what is written to it. Close ends the data, but does not close w.
func Writer(w io.Writer, suffix string) (io.WriteCloser, error) {
	switch suffix {
	case "":
		return nopCloser{w}, nil
	case ".gz":
		return gzip.NewWriterLevel(w, gzip.BestSpeed)
	case ".zlib":
		return zlib.NewWriterLevel(w, zlib.BestSpeed)
	case ".Z":
		return lzw.NewWriter(w, lzw.LSB, litWidth), nil
	case ".zst":
		// One thread and small windows keep an etcd's process small.
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(1<<20))
	}
	return nil, fmt.Errorf("unknown compression %q", suffix)
}

// Reader decompresses r. Close does not close r.
func Reader(r io.Reader, suffix string) (io.ReadCloser, error) {
	switch suffix {
	case "":
		return io.NopCloser(r), nil
	case ".gz":
		return gzip.NewReader(r)
	case ".zlib":
		return zlib.NewReader(r)
	case ".Z":
		return lzw.NewReader(r, lzw.LSB, litWidth), nil
	case ".zst":
		decoder, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
		if err != nil {
			return nil, err
		}
		return decoder.IOReadCloser(), nil
	}
	return nil, fmt.Errorf("unknown compression %q", suffix)
}
