package cleanup

import (
	"fmt"
	"os"
	"testing"

	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/testenv"
)

// cluster plays the shoot. No controller runs in it, so that nothing but the clean-up removes finalizers.
var cluster client.WithWatch

func TestMain(m *testing.M) {
	testenv.Main(m, testenv.Options{}, func(env *testenv.Env) {
		var err error
		if cluster, err = client.NewWithWatch(env.Config, client.Options{Scheme: clientgoscheme.Scheme}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			env.Stop()
			os.Exit(1)
		}
	})
}
