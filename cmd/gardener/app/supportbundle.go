package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance/supportbundle"
	"github.com/gardener-up/gardener-up/embedded/atomicfile"
)

// bundling is what "gardener support-bundle" writes.
type bundling struct {
	to      string
	logSize int64
	output  string
}

// logMiB is how much of each log file is taken by default, in MiB. It is the log of several days at rest.
const logMiB = 10

func newSupportBundle(global *globalFlags) *cobra.Command {
	b := &bundling{}
	cmd := &cobra.Command{
		Use: "support-bundle", GroupID: "landscape", Short: "Write one archive, without secrets, for somebody who helps", Args: needsNone,
		Long: `Write one archive for somebody who helps with the landscape: logs of the landscape, of its seeds and of their pods, status, events,
objects of the garden and of the seeds, versions, checks of this machine and the configuration. The landscape may run or not.

Contents of Secrets, keys and databases are never put in. Their values are taken out of everything else, and so is what only looks like a secret.
Secrets of clusters can be read only while the landscape runs; the command says so if it knows not all of them. Names of projects, shoots and users, addresses and e-mail addresses stay in it. manifest.json in the archive lists its
files, and what could not be collected and why.`,
		Example: `  gardener support-bundle
  gardener support-bundle --to bundle.tar.gz
  tar -tzf bundle.tar.gz`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := global.load(nil)
			if err != nil {
				return err
			}
			return b.run(cmd, l)
		},
	}
	cmd.Flags().StringVar(&b.to, "to", "", "file to write, which must not exist (default gardener-support-LANDSCAPE-TIME.tar.gz in this directory)")
	cmd.Flags().Int64Var(&b.logSize, "log-size", logMiB, "how many MiB of the end of each log file to take")
	_ = cmd.MarkFlagFilename("to", "tar.gz", "tgz")
	addOutputs(cmd, &b.output, "text", "json", "yaml")
	return cmd
}

// bundled is what the command prints.
type bundled struct {
	File string `json:"file"`
	supportbundle.Manifest
}

func (b *bundling) run(cmd *cobra.Command, l *landscape) error {
	if b.logSize <= 0 {
		return usageError(fmt.Errorf("--log-size %d is not positive", b.logSize), "it is a number of MiB, such as 10")
	}
	now := time.Now().UTC()
	file, err := filepath.Abs(cmp.Or(b.to, fmt.Sprintf("gardener-support-%s-%s.tar.gz", l.Name, now.Format("20060102-150405"))))
	if err != nil {
		return usageError(err, "name the file by its whole path")
	}
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return usageError(fmt.Errorf("%s exists already, or cannot be looked at", file), "name another file with --to")
	}
	bundle := b.collect(cmd.Context(), l)
	bundle.Manifest.Created = now
	done := bundled{File: file}
	err = atomicfile.WriteBy(file, 0o600, func(w io.Writer) (err error) {
		done.Manifest, err = bundle.Write(cmd.Context(), w)
		return err
	})
	if err != nil {
		return &exitError{code: codeFailure, err: err, hint: "look at the rights and the room of the directory, or name another file with --to"}
	}
	for _, one := range done.Missing {
		l.display.warn(cmd.ErrOrStderr(), fmt.Sprintf("missing or not whole: %s: %s", one.Name, one.Why))
	}
	if b.output != "text" {
		return printAs(cmd.OutOrStdout(), b.output, done, nil)
	}
	l.display.tell(cmd.OutOrStdout(), event{Object: "file " + file, State: "written", Message: done.verdict()}, fmt.Sprintf("%s has %d files; %s\n", file, len(done.Files), done.verdict()))
	return nil
}

// verdict says how far secrets were known.
func (b bundled) verdict() string {
	unread := func(one supportbundle.Missing) bool { return strings.HasPrefix(one.Name, secretsOf) }
	if slices.ContainsFunc(b.Missing, unread) {
		return "not all secrets could be read, so some are recognised only by their looks: look through it before you share it"
	}
	return fmt.Sprintf("%d secret values were searched for, and none is in it", b.KnownSecrets)
}

// collect learns what is secret and lists what is collected.
func (b *bundling) collect(ctx context.Context, l *landscape) supportbundle.Bundle {
	seeds, err := loggingSeeds(l)
	s := &supportSources{landscape: l, seeds: seeds}
	s.note("seeds", err)
	s.findClusters()
	redactor, known := s.redactor(ctx)
	bundle := supportbundle.Bundle{
		Redactor: redactor,
		Sections: s.sections(ctx, b.logSize<<20),
	}
	bundle.Manifest = supportbundle.Manifest{Version: Version, Landscape: l.Name, KnownSecrets: known, Missing: s.missing(redactor)}
	return bundle
}
