package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	kind "sigs.k8s.io/kind/pkg/cluster"
)

// commandName is the name of the component that calls the kind library.
const commandName = "kind-cluster"

// order is what the process that calls the kind library reads from its standard input.
type order struct {
	Engine string
	Config Config
}

// Command is the component that creates a kind cluster: a process of its own, which can have another environment than the landscape
// and can be interrupted. Package cluster itself starts it. It ends when its standard input does.
func Command() *cobra.Command {
	return &cobra.Command{
		Use:    commandName,
		Short:  "Create a kind cluster",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return create(cmd.Context(), cmd.InOrStdin(), json.NewEncoder(cmd.OutOrStdout()))
		},
	}
}

func create(ctx context.Context, in io.Reader, out *json.Encoder) error {
	decoder := json.NewDecoder(in)
	ordered := order{}
	if err := decoder.Decode(&ordered); err != nil {
		return fmt.Errorf("read order of a kind cluster: %w", err)
	}
	provider, err := providerOf(ordered.Engine, &teller{out: out})
	if err != nil {
		return err
	}
	abandoned := make(chan struct{})
	go func() {
		defer close(abandoned)
		_, _ = io.Copy(io.Discard, in) // until the landscape has ended, or has had enough
	}()
	done := make(chan error, 1)
	go func() {
		done <- provider.Create(ordered.Config.Name,
			kind.CreateWithV1Alpha4Config(ordered.Config.manifest()),
			kind.CreateWithKubeconfigPath(ordered.Config.Kubeconfig),
			kind.CreateWithWaitForReady(readyTimeout),
			kind.CreateWithDisplayUsage(false), kind.CreateWithDisplaySalutation(false))
	}()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-abandoned:
		return errors.New("the landscape has ended")
	case err := <-done:
		if err != nil {
			return out.Encode(told{Failed: explain(err).Error()})
		}
		return out.Encode(told{Created: true})
	}
}
