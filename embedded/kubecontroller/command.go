package kubecontroller

import (
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app"

	"github.com/gardener-up/gardener-up/embedded/internal/kubecommand"
)

// Name is the name of the component.
const Name = "kube-controller-manager"

// Command is kube-controller-manager as a component: its own flags unchanged. On an embedded node the controllers
// that write pod addresses to Endpoints are off.
func Command() *cobra.Command {
	return kubecommand.New(kubecommand.Spec{
		Name: Name, Short: "Run kube-controller-manager", New: app.NewControllerManagerCommand,
		Adjust: func(args []string) []string {
			if kubecommand.Embedded() {
				return withoutEndpoints(args)
			}
			return args
		},
		EndsWithContext: true,
	})
}

// withoutEndpoints adds to --controllers that no endpoint controller runs.
func withoutEndpoints(args []string) []string {
	controllers, found, rest := kubecommand.Value(args, "controllers")
	if !found || controllers == "" {
		controllers = "*"
	}
	aliases := app.ControllerAliases()
	kept := []string{}
	for _, name := range strings.Split(controllers, ",") {
		if canonical, ok := aliases[name]; ok {
			name = canonical
		}
		if !isEndpoints(name) {
			kept = append(kept, name)
		}
	}
	for _, name := range endpointControllers() {
		kept = append(kept, "-"+name)
	}
	return append([]string{"--controllers=" + strings.Join(kept, ",")}, rest...)
}

func isEndpoints(name string) bool {
	for _, endpoints := range endpointControllers() {
		if strings.TrimPrefix(name, "-") == endpoints {
			return true
		}
	}
	return false
}
