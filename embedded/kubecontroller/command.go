package kubecontroller

import (
	"github.com/spf13/cobra"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app"

	"github.com/gardener-up/gardener-up/embedded/internal/kubecommand"
)

// Name is the name of the component.
const Name = "kube-controller-manager"

// Command is kube-controller-manager as a component: its own flags unchanged.
func Command() *cobra.Command {
	return kubecommand.New(kubecommand.Spec{
		Name: Name, Short: "Run kube-controller-manager", New: app.NewControllerManagerCommand, EndsWithContext: true,
	})
}
