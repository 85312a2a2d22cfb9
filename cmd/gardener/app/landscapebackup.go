package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/grpc/grpclog"

	"github.com/gardener-up/gardener-up/appliance/archive/sealed"
	"github.com/gardener-up/gardener-up/appliance/backup"
	"github.com/gardener-up/gardener-up/appliance/backup/depot"
	"github.com/gardener-up/gardener-up/appliance/ledger"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/servers"
	"github.com/gardener-up/gardener-up/appliance/store"
)

func newBackup(global *globalFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use: "backup", GroupID: "landscape", Short: "Back up and restore the whole landscape",
		Long: `Back up and restore the whole landscape: the objects of garden and seeds, the etcds and volumes of shoots, keys and DNS records.
A backup is one file. It contains all keys and Secrets of the landscape, so that whoever reads it controls the landscape and its shoots.
"gardener shoot backup" backs up the etcd of one shoot.`,
	}
	asGroup(cmd)
	cmd.AddCommand(newBackupCreate(global), newBackupList(global.display), newBackupVerify(global.display), newBackupRestore(global), newBackupKey())
	return cmd
}

func newBackupCreate(global *globalFlags) *cobra.Command {
	var (
		to, output string
		files      sealed.Files
		keep       int
	)
	cmd := &cobra.Command{
		Use: "create", Short: "Back up the landscape to a directory, a file or a bucket", Args: needsNone,
		Long: `Back up the landscape to a directory, a file or a bucket. The landscape may run. What a shoot or a user of the garden was told to be stored before the
command began is in the backup. Container images are not.
` + aboutBuckets,
		Example: `  gardener backup create --to /mnt/backups
  gardener backup create --to monday.tar.zst
  gardener backup create --to /mnt/backups --encrypt-to backup.pub --keep 7`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := global.load(nil)
			if err != nil {
				return err
			}
			if hasUsers(l.paths) {
				if ran, err := global.display.again(cmd.Context()); ran {
					return err
				}
			}
			recipients, err := files.Recipients()
			if err != nil {
				return unusableKey(err)
			}
			grpclog.SetLoggerV2(grpclog.NewLoggerV2(io.Discard, io.Discard, io.Discard)) // it warns when connections to etcds are closed
			made, err := backup.Creation{Paths: l.paths, Version: Version, To: to, Recipients: recipients, Now: time.Now, Shoots: l.storeChanges, Access: servers.StoredAccess}.Create(cmd.Context())
			if err != nil {
				return l.explainBackup(err)
			}
			if keep > 0 {
				if made.Removed, err = backup.Prune(cmd.Context(), made.Place, made.Identity, keep); err != nil {
					made.Warnings = append([]string{fmt.Sprintf("the backup is made, but older ones cannot be removed from %s: %v; look at the rights there, or let the store remove them", made.Place, err)}, made.Warnings...)
				}
			}
			for _, text := range made.Warnings {
				l.display.warn(cmd.ErrOrStderr(), text)
			}
			if output != "text" {
				return printAs(cmd.OutOrStdout(), output, made, nil)
			}
			l.display.tell(cmd.OutOrStdout(), event{Object: "landscape " + l.Name, State: "backed up", Message: made.File},
				fmt.Sprintf("landscape %q is backed up to %s (%d files and directories, %s)\n", l.Name, made.File, made.Entries, megabytes(made.Bytes)))
			return nil
		},
	}
	addOutputs(cmd, &output, "text", "json", "yaml")
	cmd.Flags().StringVar(&to, "to", ".", "directory or URL of a bucket for the backup, or its own name if that ends with .tar.zst, or with .tar.zst.age if it is encrypted")
	cmd.Flags().IntVar(&keep, "keep", 0, "remove all but so many of the newest backups of this landscape in the directory; 0 removes none")
	cmd.Flags().StringVar(&files.Keys, "encrypt-to", "", `file of public keys, one a line, as "gardener backup key" prints them: only the secret keys decrypt the backup`)
	cmd.Flags().StringVar(&files.Passphrase, "passphrase-file", "", "file with a passphrase that encrypts the backup")
	cmd.MarkFlagsMutuallyExclusive("encrypt-to", "passphrase-file")
	_ = cmd.MarkFlagFilename("encrypt-to")
	_ = cmd.MarkFlagFilename("passphrase-file")
	_ = cmd.MarkFlagDirname("to")
	return cmd
}

// aboutBuckets is a part of the help of several verbs.
const aboutBuckets = `The URL of a bucket is s3://BUCKET/PREFIX or azblob://CONTAINER/PREFIX. Settings follow in a query, such as ?region=eu-west-1, or
?endpoint=https://minio.example.org&use_path_style=true for another store with the interface of S3, as Google's has. Credentials come from where the
tools of these clouds find them: variables of the environment, and files of the user.`

// storeChanges asks the etcds of all shoots to store their last changes.
func (l *landscape) storeChanges(ctx context.Context) (warnings []string, err error) {
	names := []string{l.Seed.Name}
	s, err := store.Read(l.paths.Store())
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if id, _, err := s.Identity(); err == nil && id.Seed != "" {
		names[0], l.Seed.Name = id.Seed, id.Seed
	}
	further, err := s.Seeds()
	if err != nil {
		return nil, err
	}
	for _, seed := range further {
		names = append(names, seed.Name)
	}
	for i, name := range names {
		seed, config, err := l.seed(ctx, name)
		var found []string
		if err == nil {
			found, err = backup.StoreChanges(ctx, seed, config)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil && i == 0 {
			return nil, fmt.Errorf("seed %s: %w", name, err)
		} else if err != nil {
			found = []string{fmt.Sprintf("the shoots on seed %s have older backups: %v", name, err)}
		}
		warnings = append(warnings, found...)
	}
	return warnings, nil
}

// explainBackup gives an error of "backup create" its exit code and hint.
func (l *landscape) explainBackup(err error) error {
	loss, lost := ledger.Lost(err)
	switch {
	case lost:
		return &exitError{code: codeState, err: err, hint: loss.Cure}
	case errors.Is(err, backup.ErrNone):
		return &exitError{code: codeNotFound, err: fmt.Errorf("there is no landscape %q", l.Name), hint: `see "gardener landscape list"; another one is named with --landscape`}
	case errors.Is(err, backup.ErrContainers):
		return &exitError{code: codeFailure, err: fmt.Errorf("landscape %q cannot be backed up: %w", l.Name, err), hint: `only landscapes with embedded nodes are backed up; "gardener shoot backup" backs up the etcd of a shoot`}
	case errors.Is(err, backup.ErrName), errors.Is(err, depot.ErrLocation):
		return usageError(err, "name another place with --to: a directory, a new file or a bucket")
	case errors.Is(err, backup.ErrAnother):
		return &exitError{code: codeFailure, err: err, hint: "wait until it has ended, then try again"}
	}
	return cured(err, `see "gardener status": a landscape is backed up while it is ready, or stopped`)
}

func newBackupList(shown *display) *cobra.Command {
	var dir, output string
	cmd := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List the backups of landscapes in a directory or a bucket, the oldest first", Args: needsNone,
		Long: `List the backups of landscapes in a directory or a bucket, the oldest first. Only their beginnings are read: "gardener backup verify" reads all. Encrypted
backups tell their landscape and time by their names only.
` + aboutBuckets,
		Example: `  gardener backup list --in /mnt/backups
  gardener backup list --in /mnt/backups -o json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			found, err := backup.List(cmd.Context(), dir)
			if errors.Is(err, depot.ErrLocation) {
				return usageError(err, "name a directory or a bucket with --in")
			}
			if errors.Is(err, fs.ErrNotExist) {
				return &exitError{code: codeNotFound, err: fmt.Errorf("there is no directory %s", dir), hint: "name the directory of the backups with --in"}
			}
			if err != nil {
				return cured(err, hintOfPlace(dir))
			}
			if len(found) == 0 && output == "table" {
				shown.none(cmd.ErrOrStderr(), "backup", fmt.Sprintf(`no backups in %s; "gardener backup create --to %s" makes one`, dir, paths.Word(dir)))
				return nil
			}
			return printAs(cmd.OutOrStdout(), output, found, func() [][]string {
				rows := [][]string{{"LANDSCAPE", "CREATED", "SIZE", "VERSION", "FILE", "MESSAGE"}}
				for _, b := range found {
					created := ""
					if !b.Created.IsZero() {
						created = b.Created.Local().Format(time.DateTime)
					}
					message := b.Problem
					if b.Encrypted && message == "" {
						message = "encrypted"
					}
					rows = append(rows, []string{b.Landscape, created, megabytes(b.Bytes), b.Version, b.File, message})
				}
				return rows
			})
		},
	}
	addOutput(cmd, &output)
	cmd.Flags().StringVar(&dir, "in", ".", "directory or URL of the bucket of the backups")
	_ = cmd.MarkFlagDirname("in")
	return cmd
}

func newBackupVerify(shown *display) *cobra.Command {
	var output string
	var files sealed.Files
	cmd := &cobra.Command{
		Use: "verify FILE", Short: "Check a whole backup without unpacking it", Args: needs("the file of a backup, or its URL"), ValidArgsFunction: completeArchives,
		Long:    "Check a whole backup without unpacking it.\n" + aboutBuckets,
		Example: `  gardener backup verify monday.tar.zst`,
		RunE: func(cmd *cobra.Command, args []string) error {
			keys, err := files.Secrets()
			if err != nil {
				return unusableKey(err)
			}
			header, manifest, err := backup.Source{Location: args[0], Keys: keys}.Verify(cmd.Context())
			if err != nil {
				return explainArchive(args[0], err)
			}
			checked := backup.Restored{Header: header, Entries: len(manifest.Entries), Content: manifest.Bytes(), Warnings: manifest.Warnings}
			if output != "text" {
				return printAs(cmd.OutOrStdout(), output, checked, nil)
			}
			for _, text := range manifest.Warnings {
				shown.warn(cmd.ErrOrStderr(), text)
			}
			what := fmt.Sprintf("landscape %q of %s (%d files and directories, %s)", header.Landscape, header.Created.Local().Format(time.DateTime), checked.Entries, megabytes(checked.Content))
			shown.tell(cmd.OutOrStdout(), event{Object: "backup " + args[0], State: "complete", Message: what}, fmt.Sprintf("%s is complete: %s\n", args[0], what))
			return nil
		},
	}
	addOutputs(cmd, &output, "text", "json", "yaml")
	addKeys(cmd, &files)
	return cmd
}

func newBackupRestore(global *globalFlags) *cobra.Command {
	var output string
	var files sealed.Files
	cmd := &cobra.Command{
		Use: "restore FILE", Short: "Restore a landscape from a backup to an empty state directory", Args: needs("the file of a backup, or its URL"), ValidArgsFunction: completeArchives,
		Long: `Restore a landscape from a backup to an empty state directory. The whole backup is checked before anything is written. "gardener up" starts the landscape
then. The state directory must have the path that it had, on this machine or on another one.
` + aboutBuckets,
		Example: `  gardener down --purge --yes
  gardener backup restore monday.tar.zst
  gardener up`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if ran, err := global.display.again(cmd.Context()); ran {
				return err
			}
			keys, err := files.Secrets()
			if err != nil {
				return unusableKey(err)
			}
			from := backup.Source{Location: args[0], Keys: keys}
			header, err := from.Header(cmd.Context())
			if err != nil {
				return explainArchive(args[0], err)
			}
			of, shown := *global, *global.display
			of.name, of.flags = cmp.Or(global.name, header.Landscape), nil
			of.display, shown.chosen = &shown, of.chosen
			l, err := of.load(nil)
			if err != nil {
				return err
			}
			if l.Name != header.Landscape {
				return usageError(fmt.Errorf("%s is a backup of landscape %q, not %q", args[0], header.Landscape, l.Name), "the name of a landscape cannot be changed: leave --landscape out")
			}
			made, err := backup.Restoration{Paths: l.paths, Archive: from, Etcd: servers.StoredEtcd, Supports: supports}.Restore(cmd.Context())
			if err != nil {
				return &elsewhere{l.explainRestore(args[0], err), l.chosen}
			}
			if output != "text" {
				return printAs(cmd.OutOrStdout(), output, made, nil)
			}
			l.display.tell(cmd.OutOrStdout(), event{Object: "landscape " + l.Name, State: "restored", Message: `start it with "gardener up"`},
				fmt.Sprintf("landscape %q is restored to %s, as it was at %s\nstart it with \"gardener up\"\n", l.Name, l.paths.Root(), made.Created.Local().Format(time.DateTime)))
			return nil
		},
	}
	addOutputs(cmd, &output, "text", "json", "yaml")
	addKeys(cmd, &files)
	return cmd
}

func megabytes(bytes int64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }

func completeArchives(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"zst", "age"}, cobra.ShellCompDirectiveFilterFileExt
}
