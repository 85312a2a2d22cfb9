package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gardener-up/gardener-up/hack/sandbox/programs"
)

// release says what to make, from which sources.
type release struct {
	Root          string // of the repository
	Package       string // of the binary
	Name          string // of the binary
	Version       string
	LDFlags       string
	Time          time.Time // of everything: that of the commit
	Architectures []string  // the first that is this machine's writes the man pages
	Directory     string
	Documents     []string // files in archives and packages
	Embedded      []programs.Program
	Binary        string // pack this one, of this machine's architecture, instead of compiling
	Fast          bool   // compress fast

	Description, Homepage, License, Maintainer, Downloads string
}

// setTime takes the time of the commit, in seconds.
func (r *release) setTime(seconds string) error {
	number, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return errors.New("SOURCE_DATE_EPOCH must be the time of the commit in seconds, as `make release` sets it")
	}
	r.Time = time.Unix(number, 0).UTC()
	return nil
}

// make writes all files. Temporary files are beside the directory, so that they are on the same disk.
func (r *release) make(progress io.Writer) error {
	if err := r.check(); err != nil {
		return err
	}
	if err := os.RemoveAll(r.Directory); err != nil {
		return err
	}
	if err := os.MkdirAll(r.Directory, 0o755); err != nil {
		return err
	}
	temporary, err := os.MkdirTemp(filepath.Dir(r.Directory), ".release-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temporary) }()
	programs := make([]program, len(r.Architectures))
	for i, architecture := range r.Architectures {
		if programs[i], err = r.program(architecture, temporary, progress); err != nil {
			return err
		}
	}
	_, _ = fmt.Fprintln(progress, "write man pages and completions")
	manual, err := r.document(programs, temporary)
	if err != nil {
		return err
	}
	for _, p := range programs {
		_, _ = fmt.Fprintf(progress, "pack %s for %s\n", r.Name, p.Architecture)
		if err := errors.Join(r.writeSBOM(p), r.writeArchive(p, manual), r.writePackages(p, manual)); err != nil {
			return err
		}
	}
	_, _ = fmt.Fprintln(progress, "write image")
	if err := errors.Join(r.writeImage(programs, temporary), r.writeFormula(programs)); err != nil {
		return err
	}
	return writeSums(r.Directory)
}

// program makes or takes the binary for an architecture.
func (r *release) program(architecture, temporary string, progress io.Writer) (program, error) {
	if r.Binary != "" {
		_, _ = fmt.Fprintf(progress, "take %s\n", r.Binary)
		return r.take(architecture, temporary)
	}
	_, _ = fmt.Fprintf(progress, "compile %s for %s\n", r.Name, architecture)
	return r.compile(architecture, temporary)
}

// check completes the settings.
func (r *release) check() error {
	if r.Version == "" || strings.Contains(r.Version, "dirty") {
		return fmt.Errorf("version %q is that of no commit: commit or undo what is changed first", r.Version)
	}
	if !slices.Contains(r.Architectures, runtime.GOARCH) {
		return fmt.Errorf("the binary itself writes its man pages, so that %s, which runs here, has to be one of the architectures", runtime.GOARCH)
	}
	if r.Binary != "" && len(r.Architectures) > 1 {
		return fmt.Errorf("%s is for one architecture, not for %s", r.Binary, strings.Join(r.Architectures, " and "))
	}
	var err error
	if r.Root, err = filepath.Abs(r.Root); err != nil {
		return err
	}
	if r.Directory, err = filepath.Abs(r.Directory); err != nil {
		return err
	}
	r.Downloads = cmp.Or(r.Downloads, r.Homepage+"/releases/download/"+r.Version)
	return nil
}

// file is the path of a file of the release.
func (r *release) file(name string) string { return filepath.Join(r.Directory, name) }
