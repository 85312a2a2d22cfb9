// Command release makes everything that a release consists of, into a directory: static binaries, archives with completions and man pages,
// packages, the container image, lists of what is in the binaries, and a formula for Homebrew. `make release` calls it. The same commit
// gives the same files. Nothing is downloaded.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/gardener-up/gardener-up/hack/sandbox/programs"
)

func main() {
	r := release{
		Root: ".", Package: "./cmd/gardener", Name: "gardener",
		Description: "Gardener on one machine: Kubernetes clusters as a service in one process",
		Homepage:    "https://github.com/gardener-up/gardener-up", License: "Apache-2.0", Maintainer: "The gardener-up authors",
		Documents: []string{"LICENSE", "README.md"}, Embedded: programs.All,
	}
	architectures := flag.String("architectures", "amd64,arm64", "architectures of the binaries, by comma")
	flag.StringVar(&r.Version, "version", "", "version of the release")
	flag.StringVar(&r.LDFlags, "ldflags", "", "flags of the linker")
	flag.StringVar(&r.Directory, "into", "bin/release", "directory to write, which is emptied first")
	flag.StringVar(&r.Binary, "binary", "", "pack this binary of the version, and what the working tree has embedded in it, instead of compiling; for the one architecture of this machine")
	flag.BoolVar(&r.Fast, "fast", false, "compress fast: to try it, not to publish it")
	flag.StringVar(&r.Downloads, "downloads", "", "address below which the files are published (default: that of the release on the homepage)")
	flag.Parse()
	r.Architectures = strings.Split(*architectures, ",")
	err := r.setTime(os.Getenv("SOURCE_DATE_EPOCH"))
	if err == nil {
		err = r.make(os.Stderr)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "make a release:", err)
		os.Exit(1)
	}
}
