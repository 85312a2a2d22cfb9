package app

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"
)

// namespaceFlag names the flag with the namespace of a project.
const namespaceFlag = "namespace"

// addNamespace adds the flag -n.
func addNamespace(cmd *cobra.Command, global *globalFlags) {
	cmd.PersistentFlags().StringP(namespaceFlag, "n", defaultNamespace, "namespace of the project")
	_ = cmd.RegisterFlagCompletionFunc(namespaceFlag, completeNamespaces(global))
}

// needs accepts exactly one argument. name says what it is.
func needs(name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		hint := fmt.Sprintf("see %q", cmd.CommandPath()+" --help")
		switch len(args) {
		case 0:
			return usageError(fmt.Errorf("%q needs %s", cmd.CommandPath(), name), hint)
		case 1:
			return nil
		}
		return usageError(fmt.Errorf("%q takes only %s, but also got %s", cmd.CommandPath(), name, strings.Join(args[1:], " ")), hint)
	}
}

// needsNone accepts no argument.
func needsNone(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usageError(fmt.Errorf("%q takes no arguments, but got %s", cmd.CommandPath(), strings.Join(args, " ")), fmt.Sprintf("see %q", cmd.CommandPath()+" --help"))
}

// mayHave accepts one argument or none. name says what it is.
func mayHave(name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return needs(name)(cmd, args)
	}
}

// shootKey reads the name of a shoot: NAME with or without -n, or NAMESPACE/NAME.
func shootKey(cmd *cobra.Command, arg string) (types.NamespacedName, error) {
	flag := cmd.Flag(namespaceFlag)
	namespace, name, qualified := strings.Cut(arg, "/")
	if !qualified {
		namespace, name = flag.Value.String(), arg
	}
	switch {
	case namespace == "" || name == "" || strings.Contains(name, "/"):
		return types.NamespacedName{}, usageError(fmt.Errorf("%q is not the name of a shoot", arg), "name it NAMESPACE/NAME, or NAME with -n NAMESPACE")
	case qualified && flag.Changed && namespace != flag.Value.String():
		return types.NamespacedName{}, usageError(fmt.Errorf("shoot %q is not in namespace %q", arg, flag.Value), "leave out -n, or name the shoot without a namespace")
	}
	return types.NamespacedName{Namespace: namespace, Name: name}, checkName("namespace", namespace)
}

// onlyNamespace is the namespace that a list is limited to; empty if it has those of all namespaces.
func onlyNamespace(cmd *cobra.Command) (string, error) {
	flag := cmd.Flag(namespaceFlag)
	namespace := flag.Value.String()
	if !flag.Changed || namespace == "" {
		return "", nil
	}
	return namespace, checkName("namespace", namespace)
}
