package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// machine describes the conditions of the figures, before the benchmark adds its own load.
func machine(b *bench) string {
	load := "unknown"
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		load = strings.Join(strings.Fields(string(text))[:3], " ")
	}
	return fmt.Sprintf("%s/%s, %d CPUs, load before the run %s; %d runs of each row; idle figures after %s, processor time over %s",
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), load, b.runs, b.settle, b.window)
}
