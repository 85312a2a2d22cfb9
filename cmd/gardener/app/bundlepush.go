package app

import (
	"fmt"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance/bundle/push"
)

func newBundlePush(shown *display) *cobra.Command {
	var key string
	cmd := &cobra.Command{
		Use: "push FILE REGISTRY", Short: "Copy what is in a bundle to a registry of the site", ValidArgsFunction: completeFile,
		Long: `Copy what is in a bundle to a registry of the site, optionally below a path. Images and charts keep the rest of their names:
docker.io/library/nginx:1.29 becomes REGISTRY/library/nginx:1.29. So the registry, without a path, is a mirror for registryMirrors of the configuration. What is there already
is not sent again. Registries are asked with the credentials of "docker login" or "podman login".`,
		Example: `  gardener bundle push --key bundle.key.pub landscape.bundle registry.example.org`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usageError(fmt.Errorf("%q needs the name of the file and a registry", cmd.CommandPath()), fmt.Sprintf("see %q", cmd.CommandPath()+" --help"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			from, err := openBundle(args[0], key)
			if err != nil {
				return err
			}
			defer func() { _ = from.Close() }()
			tellSignature(cmd.ErrOrStderr(), shown, args[0], from)
			target := push.Target{Place: args[1], Keychain: authn.DefaultKeychain}
			err = push.All(cmd.Context(), from, target, func(name string) { tellOfImage(cmd, shown, "pushed", name) })
			if err != nil {
				return cured(explainBundle(args[0], err), "correct what the message names and run the same command again: what is in the registry stays there")
			}
			return nil
		},
	}
	addPublicKey(cmd, &key)
	return cmd
}
