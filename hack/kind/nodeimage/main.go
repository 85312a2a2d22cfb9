// Command nodeimage builds the node image of kind for tests, on a machine without a container registry. The image
// consists of a Debian root (debootstrap), the files of the kind module, and programs from Go modules, at the versions
// in go.mod. It prints the tag of the image, and does nothing else if an image with the same inputs exists. Users do
// not need it: their nodes use kindest/node. See docs/kind.md, "For tests".
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"golang.org/x/mod/semver"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "nodeimage:", err)
		os.Exit(1)
	}
}

// options are the command line.
type options struct {
	dir    string // cache directory, absolute
	jobs   int    // go build -p
	mirror string // Debian mirror, or "" for debootstrap's own
	label  string // version that the kubelet of a second image reports, or ""
	print  bool   // print the tag only
}

func run(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	in, err := readInputs(ctx)
	if err != nil {
		return err
	}
	tag := in.nodeTag()
	if o.label != "" {
		tag = in.variantTag(o.label)
	}
	if o.print {
		fmt.Println(tag)
		return nil
	}
	b := &builder{options: o, inputs: in}
	if err := b.ensureNode(ctx); err != nil {
		return err
	}
	if o.label != "" {
		if err := b.ensureVariant(ctx); err != nil {
			return err
		}
	}
	fmt.Println(tag)
	return nil
}

func parse(args []string) (options, error) {
	o := options{}
	flags := flag.NewFlagSet("nodeimage", flag.ContinueOnError)
	flags.StringVar(&o.dir, "dir", defaultDir(), "directory for binaries and intermediate files, also GARDENER_KIND_DIR")
	flags.IntVar(&o.jobs, "p", 2, "programs that the Go command runs in parallel")
	flags.StringVar(&o.mirror, "debian-mirror", os.Getenv("DEBIAN_MIRROR"), "mirror for debootstrap, also DEBIAN_MIRROR")
	flags.StringVar(&o.label, "kubernetes-version-label", "",
		"build a second image whose kubelet is the same program but reports this version; for workers in tests of updates, not for kind clusters")
	flags.BoolVar(&o.print, "print", false, "print the tag without building")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if o.label != "" && !semver.IsValid(o.label) {
		return o, fmt.Errorf("--kubernetes-version-label %q is not a version such as v1.35.7", o.label)
	}
	dir, err := filepath.Abs(o.dir)
	o.dir = dir
	return o, err
}

func defaultDir() string {
	if dir := os.Getenv("GARDENER_KIND_DIR"); dir != "" {
		return dir
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	return filepath.Join(cache, "gardener-kind")
}
