package kubescheduler

import (
	"github.com/spf13/cobra"
	"k8s.io/kubernetes/cmd/kube-scheduler/app"

	"github.com/gardener-up/gardener-up/embedded/internal/kubecommand"
)

// Command is kube-scheduler as a component: its own flags unchanged.
func Command() *cobra.Command {
	return kubecommand.New(kubecommand.Spec{
		Name: "kube-scheduler", Short: "Run kube-scheduler",
		New: func() *cobra.Command { return app.NewSchedulerCommand() },
	})
}
