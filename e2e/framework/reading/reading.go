// Package reading runs "kubectl get" in the process of a test. The tests ask for objects again and again until something has happened,
// and a process of the whole binary for each question takes more processor time than what is being tested. The code of kubectl and its
// version are those of the binary. All other commands of kubectl run as a user runs them.
package reading

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/kubectl/pkg/cmd/get"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
)

// Place is where kubectl runs.
type Place struct {
	Kubeconfig, Home string
	// Env, as in exec.Cmd, is added to the environment of the credential plugin that the kubeconfig names. A plugin is asked once for
	// each Env and kubeconfig.
	Env []string
}

// Output is what kubectl prints, and its exit code.
type Output struct {
	Stdout, Stderr string
	Code           int
}

// ended is how the code of kubectl ends a command that fails.
type ended struct {
	message string
	code    int
}

func init() {
	cmdutil.BehaviorOnFatal(func(message string, code int) { panic(ended{message, code}) })
}

// Reads reports whether the arguments of kubectl are a question that this package answers.
func Reads(args []string) bool {
	command, rest, err := newKubectl(Place{}, &bytes.Buffer{}, &bytes.Buffer{}).Find(args)
	if err != nil || command.Name() != "get" {
		return false
	}
	_ = command.ParseFlags(rest) // kubectl tells a mistake
	for _, flag := range []string{"watch", "watch-only", "kubeconfig", "filename", "kustomize"} {
		if command.Flags().Changed(flag) {
			return false
		}
	}
	return true
}

// Get answers a question. An error is that of ctx.
func Get(ctx context.Context, place Place, args []string) (Output, error) {
	answer := make(chan Output, 1)
	go func() { answer <- run(place, args) }()
	select {
	case out := <-answer:
		return out, nil
	case <-ctx.Done():
		return Output{}, fmt.Errorf("kubectl %s: %w", strings.Join(args, " "), ctx.Err())
	}
}

func run(place Place, args []string) (out Output) {
	var stdout, stderr bytes.Buffer
	defer func() {
		if reason := recover(); reason != nil {
			end, ok := reason.(ended)
			if !ok {
				panic(reason)
			}
			if end.message != "" {
				fmt.Fprintln(&stderr, strings.TrimSuffix(end.message, "\n"))
			}
			out = Output{stdout.String(), stderr.String(), end.code}
		}
	}()
	kubectl := newKubectl(place, &stdout, &stderr)
	kubectl.SetArgs(args)
	if err := kubectl.Execute(); err != nil { // a mistake in the flags
		fmt.Fprintln(&stderr, "error:", err)
		out.Code = 1
	}
	return Output{stdout.String(), stderr.String(), out.Code}
}

func newKubectl(place Place, stdout, stderr *bytes.Buffer) *cobra.Command {
	kubectl := &cobra.Command{Use: "kubectl", SilenceErrors: true, SilenceUsage: true}
	flags := genericclioptions.NewConfigFlags(true).WithDiscoveryBurst(300).WithDiscoveryQPS(50)
	*flags.KubeConfig, *flags.CacheDir = place.Kubeconfig, filepath.Join(place.Home, ".kube", "cache")
	flags.WrapConfigFn = func(config *rest.Config) *rest.Config {
		config.WarningHandler = rest.NewWarningWriter(stderr, rest.WarningWriterOptions{Deduplicate: true})
		if plugin := config.ExecProvider; plugin != nil {
			for _, variable := range place.Env {
				name, value, _ := strings.Cut(variable, "=")
				plugin.Env = append(plugin.Env, clientcmdapi.ExecEnvVar{Name: name, Value: value})
			}
		}
		if name := config.ServerName; name != "" && filepath.Base(*flags.CacheDir) != name { // servers share an address, as "gardener kubectl" knows
			*flags.CacheDir = filepath.Join(*flags.CacheDir, name)
		}
		return config
	}
	flags.AddFlags(kubectl.PersistentFlags())
	streams := genericiooptions.IOStreams{In: &bytes.Buffer{}, Out: stdout, ErrOut: stderr}
	kubectl.AddCommand(get.NewCmdGet("kubectl", cmdutil.NewFactory(cmdutil.NewMatchVersionFlags(flags)), streams))
	return kubectl
}
