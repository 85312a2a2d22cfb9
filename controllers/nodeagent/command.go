package nodeagent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gardener-up/gardener-up/controllers/nodeagent/apply"
	"github.com/gardener-up/gardener-up/controllers/nodeagent/config"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// Command is the component node-agent. It runs on a machine as a service that is always restarted.
func Command() *cobra.Command {
	path, programs, nodeName := config.PathConfig, DefaultPrograms(), ""
	cmd := &cobra.Command{
		Use:   "node-agent",
		Short: "Keep this machine as its pool's OperatingSystemConfig says",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := run(cmd.Context(), path, nodeName, programs)
			if errors.Is(err, ErrRestart) {
				return nil
			}
			return err
		},
	}
	cmd.Flags().StringVar(&path, "config", path, "file with a NodeAgentConfiguration")
	cmd.Flags().StringVar(&nodeName, "node-name", "", "name of the node (default: the host name)")
	cmd.Flags().StringSliceVar(&programs, "programs", programs, "directories with programs that need not be fetched from their images")
	return cmd
}

// DefaultPrograms are directories where machines may have the programs of images already.
func DefaultPrograms() []string { return []string{"/opt/gardener/bin", "/usr/bin", "/usr/local/bin"} }

func run(ctx context.Context, path, nodeName string, programs []string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read configuration: %w", err)
	}
	cfg, err := config.Decode(data)
	if err != nil {
		return err
	}
	host, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("find host name: %w", err)
	}
	if nodeName == "" {
		nodeName = strings.ToLower(host)
	}
	applier := newApplier(programs)
	applier.Self = config.Unit
	return Serve(ctx, &Agent{
		Config: cfg, NodeName: nodeName, HostName: host, Apply: applier.Apply, Files: Files{Root: "/"}, Log: log.Log.WithName("node-agent"),
	})
}

// Serve gives an agent a client and a clock, and runs it until ctx ends or ErrRestart occurs.
func Serve(ctx context.Context, agent *Agent) error {
	if err := bootstrap(ctx, agent.Config, agent.Files, agent.retry(), agent.Log); err != nil {
		return err
	}
	restConfig := restConfigOf(agent.Config)
	restConfig.BearerTokenFile = filepath.Join(agent.Files.Root, config.PathToken) // the file is read again when it changes
	client, err := kubernetes.NewForConfig(restConfig)
	if err != nil {
		return fmt.Errorf("make client: %w", err)
	}
	agent.Client, agent.Clock = client, clock.RealClock{}
	return agent.Run(ctx)
}

// ApplyOnce applies an OperatingSystemConfig to this machine while it boots. It starts units without waiting, as they
// may wait for the caller. It removes nothing.
func ApplyOnce(ctx context.Context, osc *extensionsv1alpha1.OperatingSystemConfig) error {
	host, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("find host name: %w", err)
	}
	applier := newApplier(DefaultPrograms())
	applier.Systemd, applier.Pending = apply.Systemctl{NoWait: true}, config.PathPendingBoot
	_, err = applier.Apply(ctx, apply.ContentOf(osc, host), nil)
	return err
}

// newApplier returns an Applier for this machine.
func newApplier(programs []string) *apply.Applier {
	return &apply.Applier{
		Root: "/", Systemd: apply.Systemctl{}, Programs: programs, Extract: extract, Pending: config.PathPending, Log: log.Log.WithName("node-agent"),
	}
}
