// Command extension is an example of an extension on the packages below providers alone. It serves Extensions of the type "greeting": each puts a
// ConfigMap with a text into its shoot. docs/extensions.md explains it.
package main

import (
	"fmt"
	"os"

	"github.com/go-logr/zapr"
	"go.uber.org/zap"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager/signals"

	"github.com/gardener-up/gardener-up/embedded/incluster"
	"github.com/gardener-up/gardener-up/providers/operator"
	"github.com/gardener-up/gardener-up/providers/reconcile"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// name of the extension.
const name = "extension-greeting"

// parts are what the extension consists of.
func parts() []operator.Part {
	return []operator.Part{
		operator.Kind(func(c client.Client, _ client.Reader) reconcile.Options[*extensionsv1alpha1.Extension] {
			return reconcile.Options[*extensionsv1alpha1.Extension]{Provider: name, Types: []string{kind}, Actuator: actuator(c)}
		}),
	}
}

func main() {
	logger, err := zap.NewProduction()
	if err == nil {
		log.SetLogger(zapr.NewLogger(logger))
		ctx := log.IntoContext(signals.SetupSignalHandler(), log.Log)
		err = operator.Command(name, "Greet the users of shoots", incluster.Surroundings{}, parts).ExecuteContext(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
