package app

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/rest"
	"k8s.io/kubectl/pkg/cmd"

	_ "github.com/gardener-up/gardener-up/cmd/gardener/app/translations" // before kubectl
)

// newKubectl embeds kubectl, so that users need only one file. Without a kubeconfig of the user's choice, kubectl
// talks to the garden. Its hundred commands are built only when the verb is used.
func newKubectl(global *globalFlags) *cobra.Command {
	return &cobra.Command{
		Use: "kubectl",
		Example: `  gardener kubectl get shoots -A
  KUBECONFIG=sun.yaml gardener kubectl get nodes`,
		GroupID: "use", Short: "Run kubectl, by default against the garden",
		DisableFlagParsing: true,
		ValidArgsFunction: func(c *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
			return completeKubectl(c.Context(), global, append(args, toComplete))
		},
		RunE: func(c *cobra.Command, args []string) error {
			signal.Reset(os.Interrupt, syscall.SIGTERM) // kubectl expects these signals to end the process, unless it handles them itself
			return mistakeOfKubectl(buildKubectl(global, args).ExecuteContext(context.WithoutCancel(c.Context())))
		},
	}
}

// mistakeOfKubectl makes the advice in an error of the command line its hint. All other errors of kubectl end the process.
func mistakeOfKubectl(err error) error {
	if err == nil || !isUsage(err) {
		return err
	}
	mistake, advice, _ := strings.Cut(err.Error(), "\n")
	lines := slices.DeleteFunc(strings.Split(strings.ReplaceAll(advice, "'kubectl ", "'gardener kubectl "), "\n"), func(line string) bool { return strings.TrimSpace(line) == "" })
	return usageError(errors.New(mistake), cmp.Or(strings.Join(lines, "\n"), `see "gardener kubectl --help"`))
}

func buildKubectl(global *globalFlags, args []string) *cobra.Command {
	flags := genericclioptions.NewConfigFlags(true).WithDeprecatedPasswordFlag().WithDiscoveryBurst(300).WithDiscoveryQPS(50)
	flags.WrapConfigFn = func(config *rest.Config) *rest.Config {
		if direct, err := withoutPlugin(context.Background(), config); err == nil { // otherwise the plugin tells the error
			config = direct
		}
		return cacheByName(flags, config)
	}
	kubectl := cmd.NewKubectlCommand(cmd.KubectlOptions{
		ConfigFlags: flags,
		Arguments:   append([]string{"kubectl"}, args...),
		IOStreams:   genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr},
	})
	kubectl.SilenceErrors = true // the command around kubectl tells them
	if os.Getenv("KUBECONFIG") == "" {
		useGarden(kubectl, flags, global)
	}
	kubectl.SetArgs(args)
	return kubectl
}

// cacheByName gives each server name its own kubectl cache directory. All clusters of a landscape share one address,
// and kubectl separates its caches by address only.
func cacheByName(flags *genericclioptions.ConfigFlags, config *rest.Config) *rest.Config {
	if name := config.ServerName; name != "" && filepath.Base(*flags.CacheDir) != name {
		*flags.CacheDir = filepath.Join(*flags.CacheDir, name)
	}
	return config
}

// useGarden makes kubectl talk to the garden by default. It works for completions too, which do not run kubectl's
// hooks.
func useGarden(kubectl *cobra.Command, flags *genericclioptions.ConfigFlags, global *globalFlags) {
	l, failed := global.load(nil)
	if failed == nil {
		*flags.KubeConfig = l.paths.Kubeconfig(gardenKubeconfig)
	}
	before := kubectl.PersistentPreRunE
	kubectl.PersistentPreRunE = func(c *cobra.Command, args []string) error {
		if !c.Flags().Changed("kubeconfig") {
			err := failed
			if err == nil {
				_, err = l.running()
			}
			if err != nil {
				return err
			}
		}
		return before(c, args)
	}
}

// completeKubectl asks kubectl for completions. kubectl prints one completion per line; the last line is the
// directive, a colon and a number.
func completeKubectl(ctx context.Context, global *globalFlags, args []string) ([]string, cobra.ShellCompDirective) {
	var out bytes.Buffer
	kubectl := buildKubectl(global, append([]string{cobra.ShellCompRequestCmd}, args...))
	kubectl.SetOut(&out)
	kubectl.SetErr(&bytes.Buffer{})
	if err := kubectl.ExecuteContext(ctx); err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	last := len(lines) - 1
	directive, err := strconv.Atoi(strings.TrimPrefix(lines[last], ":"))
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return lines[:last], cobra.ShellCompDirective(directive)
}
