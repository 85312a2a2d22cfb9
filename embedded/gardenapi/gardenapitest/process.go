package gardenapitest

import (
	"context"
	"path/filepath"
	"strconv"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"

	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/extensionvalidator"
	"github.com/gardener-up/gardener-up/embedded/internal/testpki"
	"github.com/gardener-up/gardener-up/embedded/testenv"
)

// process runs the Gardener API server in the process of the kube-apiserver and returns the flags for it.
func (g *Garden) process(pki *testpki.PKI, opts Options, port *int) func(*testenv.Env) ([]string, error) {
	return func(env *testenv.Env) (args []string, err error) {
		if *port, err = FreePort(env.Address); err != nil {
			return nil, err
		}
		file := func(name string) string { return filepath.Join(env.Dir, name) }
		args = []string{
			"--bind-address=" + env.Address, "--secure-port=" + strconv.Itoa(*port),
			"--tls-cert-file=" + pki.Path("server.crt"), "--tls-private-key-file=" + pki.Path("server.key"),
			"--etcd-servers=" + env.Etcd, "--etcd-cafile=" + file("ca.crt"),
			"--etcd-certfile=" + file("admin.crt"), "--etcd-keyfile=" + file("admin.key"),
			"--kubeconfig=" + env.Kubeconfig, "--cluster-identity=gardenapitest", "--log-level=error",
			"--storage-media-type=" + runtime.ContentTypeProtobuf, // as in a landscape
		}
		if !opts.Extensions {
			args = append(args, "--disable-admission-plugins="+extensionvalidator.PluginName)
		}
		return append(args, opts.GardenerArgs...), nil
	}
}

// join waits until the server in the other process is ready and registers it.
func (g *Garden) join(ctx context.Context, pki *testpki.PKI, port int, extensions bool) error {
	g.Direct = g.direct(pki, port)
	client, err := kubernetes.NewForConfig(g.Direct)
	if err != nil {
		return err
	}
	err = waitFor(ctx, func(ctx context.Context) error {
		return client.RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
	})
	if err != nil {
		return err
	}
	return g.register(ctx, pki, port, extensions)
}
