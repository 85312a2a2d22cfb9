package gardenapitest

import (
	"context"
	"path/filepath"
	"strconv"

	"k8s.io/client-go/kubernetes"

	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/extensionvalidator"
	"github.com/gardener-up/gardener-up/embedded/internal/testpki"
)

// Component is the name of the Gardener API server among the components of the environment, see testenv.Env.PID.
const Component = "apiserver"

// startProcess starts the Gardener API server as a process of its own, and joins it into the Kubernetes API.
func (g *Garden) startProcess(ctx context.Context, pki *testpki.PKI, extensions bool) error {
	port, err := FreePort(g.Address)
	if err != nil {
		return err
	}
	g.Direct = g.direct(pki, port)
	file := func(name string) string { return filepath.Join(g.Dir, name) }
	args := []string{
		"--bind-address=" + g.Address, "--secure-port=" + strconv.Itoa(port),
		"--tls-cert-file=" + pki.Path("server.crt"), "--tls-private-key-file=" + pki.Path("server.key"),
		"--etcd-servers=" + g.Etcd, "--etcd-cafile=" + file("ca.crt"),
		"--etcd-certfile=" + file("admin.crt"), "--etcd-keyfile=" + file("admin.key"),
		"--kubeconfig=" + g.Kubeconfig, "--cluster-identity=gardenapitest",
	}
	if !extensions {
		args = append(args, "--disable-admission-plugins="+extensionvalidator.PluginName)
	}
	if err := g.StartComponent(Component, args...); err != nil {
		return err
	}
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
