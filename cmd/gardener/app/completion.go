package app

import (
	"context"
	"slices"

	"github.com/spf13/cobra"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/neighbours"
	"github.com/gardener-up/gardener-up/appliance/servers"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// refineCompletion makes cobra's command for completion refuse unknown shells, since its help would be evaluated as a script.
func refineCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			asPrinter(cmd)
		}
	}
}

// completeFirst completes the first argument with names from the landscape. Later arguments get no completions.
func completeFirst(global *globalFlags, names func(context.Context, *landscape) ([]string, error)) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		l, err := global.load(nil)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		found, err := names(cmd.Context(), l)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return found, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeLandscapes completes the names of the landscapes of this user.
func completeLandscapes(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	found, err := neighbours.All(servers.FrontDoor)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var names []string
	for _, one := range found {
		names = append(names, one.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// ofGarden completes the value of a flag with what the garden knows, whatever the arguments are.
func ofGarden(global *globalFlags, list func(context.Context, client.Reader) ([]string, error)) cobra.CompletionFunc {
	complete := completeFirst(global, func(ctx context.Context, l *landscape) ([]string, error) {
		garden, err := l.gardenWithin(ctx, completionTimeout)
		if err != nil {
			return nil, err
		}
		return list(ctx, garden)
	})
	return func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return complete(cmd, nil, typed)
	}
}

// completeVersions completes the versions of Kubernetes that CloudProfiles offer.
func completeVersions(global *globalFlags) cobra.CompletionFunc {
	return ofGarden(global, offeredVersions)
}

// offeredVersions are the versions of Kubernetes in all CloudProfiles.
func offeredVersions(ctx context.Context, garden client.Reader) ([]string, error) {
	profiles := &gardencorev1beta1.CloudProfileList{}
	if err := garden.List(ctx, profiles); err != nil {
		return nil, err
	}
	var versions []string
	for i := range profiles.Items {
		for _, v := range profiles.Items[i].Spec.Kubernetes.Versions {
			versions = append(versions, v.Version)
		}
	}
	slices.Sort(versions)
	return slices.Compact(versions), nil
}

// completePools completes the worker pools of the shoot that the first argument names.
func completePools(global *globalFlags) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		return ofGarden(global, func(ctx context.Context, garden client.Reader) ([]string, error) {
			if len(args) == 0 {
				return nil, nil
			}
			key, err := shootKey(cmd, args[0])
			if err != nil {
				return nil, err
			}
			shoot, err := readShoot(ctx, garden, key)
			if err != nil {
				return nil, err
			}
			var names []string
			for _, pool := range shoot.Spec.Provider.Workers {
				names = append(names, pool.Name)
			}
			return names, nil
		})(cmd, args, typed)
	}
}

// completeNamespaces completes the namespaces of projects.
func completeNamespaces(global *globalFlags) cobra.CompletionFunc {
	return ofGarden(global, func(ctx context.Context, garden client.Reader) ([]string, error) {
		projects := &gardencorev1beta1.ProjectList{}
		if err := garden.List(ctx, projects); err != nil {
			return nil, err
		}
		var names []string
		for i := range projects.Items {
			if name := ptr.Deref(projects.Items[i].Spec.Namespace, ""); name != "" {
				names = append(names, name)
			}
		}
		return names, nil
	})
}
