package main

import (
	"compress/gzip"
	"context"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/gardener-up/gardener-up/hack/bench/stats"
)

// compress measures how many bytes a user has to download: the binary compressed by xz, or by gzip if xz is not
// installed.
func (b *bench) compress(ctx context.Context) error {
	file, err := os.Open(b.binary)
	if err != nil {
		return err
	}
	defer file.Close()
	b.say("compressed size")
	var size counter
	if xz, missing := exec.LookPath("xz"); missing == nil {
		level := "-6"
		if b.fast {
			level = "-0"
		}
		b.found.downloadHow = "xz " + level
		cmd := exec.CommandContext(ctx, xz, level, "-T1", "-c")
		cmd.Stdin, cmd.Stdout, cmd.Stderr = file, &size, b.log
		err = cmd.Run()
	} else {
		level := gzip.BestCompression
		if b.fast {
			level = gzip.BestSpeed
		}
		b.found.downloadHow = fmt.Sprintf("gzip -%d", level)
		err = gzipTo(&size, file, level)
	}
	if err != nil {
		return fmt.Errorf("compress %s by %s: %w", b.binary, b.found.downloadHow, err)
	}
	if hasSymbols(b.binary) {
		b.found.downloadHow += ", not stripped"
	}
	b.found.download = stats.Sample{float64(size)}
	return nil
}

func gzipTo(w io.Writer, r io.Reader, level int) error {
	z, err := gzip.NewWriterLevel(w, level)
	if err != nil {
		return err
	}
	if _, err := io.Copy(z, r); err != nil {
		return err
	}
	return z.Close()
}

// hasSymbols reports whether a binary is not stripped.
func hasSymbols(path string) bool {
	file, err := elf.Open(path)
	if err != nil {
		return false // another format
	}
	defer file.Close()
	return file.Section(".symtab") != nil
}

// counter counts the bytes written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
