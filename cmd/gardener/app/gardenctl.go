package app

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// gardenctlConfig is the configuration of gardenctl (~/.garden/gardenctl-v2.yaml) and of gardenlogin (~/.garden/gardenlogin.yaml).
type gardenctlConfig struct {
	Gardens []gardenctlGarden `json:"gardens"`
}

// gardenctlGarden is one garden in it. gardenctl finds it by its identity, which is the cluster's own, or by the name.
type gardenctlGarden struct {
	Identity   string `json:"identity"`
	Name       string `json:"name"`
	Kubeconfig string `json:"kubeconfig"`
}

func newGardenctlConfig(global *globalFlags) *cobra.Command {
	var output string
	var all bool
	cmd := &cobra.Command{
		Use: "gardenctl-config", GroupID: "use", Short: "Print the configuration of gardenctl and gardenlogin for the landscape", Args: needsNone,
		Long: `Print the configuration of gardenctl and gardenlogin for the running landscape, or with --all for every landscape of this user that
runs. It contains no credentials: the kubeconfig that it names gets them from the landscape. "gardenctl target" then finds the landscape by its
name, as in --garden local --project local --shoot sun. docs/clients.md says more.`,
		Example: `  mkdir -p ~/.garden
  gardener gardenctl-config > ~/.garden/gardenctl-v2.yaml
  cp ~/.garden/gardenctl-v2.yaml ~/.garden/gardenlogin.yaml`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			landscapes, err := landscapesFor(global, all)
			if err != nil {
				return err
			}
			config := gardenctlConfig{Gardens: []gardenctlGarden{}}
			for _, l := range landscapes {
				garden, err := gardenFor(cmd.Context(), l)
				if err != nil {
					return &elsewhere{err, l.chosen}
				}
				config.Gardens = append(config.Gardens, garden)
			}
			return printAs(cmd.OutOrStdout(), output, config, nil)
		},
	}
	addOutputs(cmd, &output, "yaml", "json")
	cmd.Flags().BoolVar(&all, "all", false, "for all landscapes of this user that run")
	return cmd
}

// landscapesFor returns the landscape that the flags choose, or all that run.
func landscapesFor(global *globalFlags, all bool) ([]*landscape, error) {
	if !all {
		l, err := global.load(nil)
		return []*landscape{l}, err
	}
	found, err := findLandscapes(global)
	if err != nil {
		return nil, err
	}
	var running []*landscape
	for _, one := range found {
		if one.Process == 0 {
			continue
		}
		of := only(one.Name, one.StateDir, global.display)
		l, err := of.load(nil)
		if err != nil {
			return nil, &elsewhere{err, of.chosen()}
		}
		running = append(running, l)
	}
	return running, nil
}

// gardenFor asks the garden for its identity.
func gardenFor(ctx context.Context, l *landscape) (gardenctlGarden, error) {
	garden, err := l.gardenWithin(ctx, answersTimeout)
	if err != nil {
		return gardenctlGarden{}, err
	}
	identity := &corev1.ConfigMap{}
	if err := garden.Get(ctx, client.ObjectKey{Namespace: "kube-system", Name: constants.ClusterIdentity}, identity); err != nil {
		return gardenctlGarden{}, fmt.Errorf("read the identity of the garden: %w", err)
	}
	return gardenctlGarden{Identity: identity.Data[constants.ClusterIdentity], Name: l.Name, Kubeconfig: l.paths.Kubeconfig(gardenKubeconfig)}, nil
}
