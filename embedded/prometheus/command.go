package prometheus

import (
	"embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/embedded/prometheus/settings"
	"github.com/gardener-up/gardener-up/embedded/unpack"
)

// Name of the component.
const Name = "prometheus"

var errNotBuiltIn = errors.New("this binary was built without Prometheus: build it with make")

//go:embed all:bin
var built embed.FS

// programs is the directory of the unpacked program, below that of the data: there is always a disk, which memory would not be.
const programs = "program"

// Command replaces this process by Prometheus.
func Command() *cobra.Command {
	s := settings.Settings{}
	cmd := &cobra.Command{
		Use:   Name,
		Short: "Scrape, store and query metrics",
		Long: `Scrape, store and query metrics. This is Prometheus with its configuration, its rules and its API for queries, without a web page. It
finds targets that are static, nodes of clusters and addresses of names, and sends nothing to other servers.`,
		Example: "  gardener component prometheus --config-file=prometheus.yml --data-dir=./metrics --users-dir=./users --tls-cert-file=tls.crt --tls-private-key-file=tls.key",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := s.Validate(); err != nil {
				return err
			}
			return start(s)
		},
	}
	set := flag.NewFlagSet(Name, flag.ContinueOnError)
	s.Add(set)
	cmd.Flags().AddGoFlagSet(set)
	return cmd
}

// start does not return unless it fails.
func start(s settings.Settings) error {
	dir, err := filepath.Abs(s.DataDir)
	if err != nil {
		return err
	}
	program, err := unpack.Program(built, filepath.Join(dir, programs), Name, errNotBuiltIn)
	if err != nil {
		return err
	}
	s.DataDir = filepath.Join(dir, "data")
	if err := syscall.Exec(program, append([]string{Name}, arguments(s)...), os.Environ()); err != nil {
		return fmt.Errorf("start %s: %w", program, err)
	}
	return nil
}

func arguments(s settings.Settings) []string {
	return []string{
		"--config-file=" + s.ConfigFile, "--data-dir=" + s.DataDir, "--bind-address=" + s.BindAddress, "--tls-cert-file=" + s.CertFile,
		"--tls-private-key-file=" + s.KeyFile, "--users-dir=" + s.UsersDir, "--retention=" + s.Retention.String(), "--max-size=" + strconv.FormatInt(s.MaxSize, 10),
	}
}
