package beside

import (
	"context"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	"github.com/spf13/pflag"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gardener-up/gardener-up/controllers/nodeagent"
	"github.com/gardener-up/gardener-up/controllers/nodeagent/apply"
	"github.com/gardener-up/gardener-up/controllers/nodeagent/config"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// retryPeriod is the pause after a failure. It is short, because each new machine waits for its token and its Node.
const retryPeriod = time.Second

// Machine is a directory in which files of a machine lie.
type Machine interface {
	// Flags declares the flags that say where the machine is.
	Flags(*pflag.FlagSet)
	// Root is the directory; empty if the kubelet has none.
	Root() string
	// Keep writes the files of the machine whenever its user data changes, until ctx ends.
	Keep(ctx context.Context, log logr.Logger)
	// Apply returns nil if the machine has these files and units, and the kubelet has started with them.
	Apply([]extensionsv1alpha1.File, []extensionsv1alpha1.Unit) error
}

// Companion is the node agent of a machine, for the command of its kubelet.
type Companion struct{ Machine Machine }

// Flags declares the flags of the agent.
func (c Companion) Flags(flags *pflag.FlagSet) { c.Machine.Flags(flags) }

// Run serves the machine with the Node of a name until ctx ends. It does nothing if the kubelet has no machine.
func (c Companion) Run(ctx context.Context, node string) {
	if c.Machine.Root() == "" {
		return
	}
	logger := log.Log.WithName("node-agent")
	done := make(chan struct{})
	go func() { defer close(done); c.Machine.Keep(ctx, logger) }()
	defer func() { <-done }()
	complained := ""
	for ctx.Err() == nil {
		err := c.serve(ctx, node, logger)
		if err == nil || ctx.Err() != nil {
			continue
		}
		if complained != err.Error() {
			complained = err.Error()
			logger.Error(err, "The node agent does not run")
		}
		select {
		case <-ctx.Done():
		case <-time.After(retryPeriod):
		}
	}
}

// serve runs the agent with its present configuration.
func (c Companion) serve(ctx context.Context, node string, logger logr.Logger) error {
	files := nodeagent.Files{Root: c.Machine.Root()}
	data, err := files.Read(config.PathConfig)
	if err != nil {
		return fmt.Errorf("read configuration of the node agent: %w", err)
	}
	cfg, err := config.Decode(data)
	if err != nil {
		return err
	}
	applied := func(_ context.Context, content apply.Content, _ *apply.Content) (apply.Result, error) {
		return apply.Result{}, c.Machine.Apply(content.Files, content.Units)
	}
	return nodeagent.Serve(ctx, &nodeagent.Agent{
		Config: cfg, NodeName: node, HostName: node, Apply: applied, Files: files, Led: true, Retry: retryPeriod, Log: logger,
	})
}
