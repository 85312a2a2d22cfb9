package kubeapi

import (
	"github.com/spf13/cobra"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"

	"github.com/gardener-up/gardener-up/embedded/internal/kubecommand"
)

// Command is kube-apiserver as a component: its own flags unchanged. On an embedded node it does not write its
// address to Endpoints unless a flag says how.
func Command() *cobra.Command {
	return kubecommand.New(kubecommand.Spec{
		Name: "kube-apiserver", Short: "Run kube-apiserver", New: app.NewAPIServerCommand,
		Adjust: func(args []string) []string {
			const reconciler = "endpoint-reconciler-type"
			if kubecommand.Embedded() && !kubecommand.Has(args, reconciler) {
				args = append([]string{"--" + reconciler + "=none"}, args...)
			}
			return args
		},
	})
}
