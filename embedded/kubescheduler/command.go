package kubescheduler

import (
	"github.com/spf13/cobra"
	"k8s.io/kubernetes/cmd/kube-scheduler/app"

	"github.com/gardener-up/gardener-up/embedded/internal/kubecommand"
)

// Command is kube-scheduler as a component: its own flags unchanged.
func Command() *cobra.Command {
	newCommand := func() *cobra.Command { return app.NewSchedulerCommand() }
	return kubecommand.New("kube-scheduler", "Run kube-scheduler", newCommand, func(args []string) []string { return args })
}
