package app

import (
	"runtime"

	"github.com/spf13/cobra"
	"k8s.io/component-base/version"
)

// Version of the appliance. The linker sets it.
var Version = "v0.0.0-dev"

func newVersion() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:     "version",
		Example: `  gardener version -o json`,
		GroupID: "parts", Short: "Print the versions of this binary and of the Kubernetes in it", Args: needsNone,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v := versions{Gardener: Version, Kubernetes: version.Get().GitVersion, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
			return printAs(cmd.OutOrStdout(), output, v, func() [][]string {
				return [][]string{{"GARDENER", "KUBERNETES", "GO", "PLATFORM"}, {v.Gardener, v.Kubernetes, v.Go, v.Platform}}
			})
		},
	}
	addOutput(cmd, &output)
	return cmd
}

type versions struct {
	Gardener   string `json:"gardener"`
	Kubernetes string `json:"kubernetes"`
	Go         string `json:"go"`
	Platform   string `json:"platform"`
}
