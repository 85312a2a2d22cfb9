package oidcwebhook

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/healthz"
	"k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/util/compatibility"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	oidcv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/openidconnect/v1alpha1"
)

// Config of a server. All files are read when it starts.
type Config struct {
	// Kubeconfig of the cluster with the OpenIDConnects, which also says who callers are and what they may do.
	Kubeconfig string
	// BindAddress and Port to listen on, with the certificate in CertFile and KeyFile.
	BindAddress       net.IP
	Port              int
	CertFile, KeyFile string
	// Dial connects to providers.
	Dial Dial
	Log  logr.Logger
}

// Run serves until ctx ends.
func Run(ctx context.Context, c Config) error {
	cluster, err := clientcmd.BuildConfigFromFlags("", c.Kubeconfig)
	if err != nil {
		return fmt.Errorf("read kubeconfig of the cluster: %w", err)
	}
	cluster.UserAgent = Name
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	known := newProviders(ctx, c.Dial)
	mgr, err := newManager(cluster, known, c.Log)
	if err != nil {
		return err
	}
	api, err := newServer(c, known, mgr)
	if err != nil {
		return err
	}
	ended := make(chan error, 2)
	go func() { ended <- mgr.Start(ctx) }()
	go func() { ended <- api.PrepareRun().RunWithContext(ctx) }()
	err = <-ended
	cancel()
	if err = errors.Join(err, <-ended); err != nil {
		return fmt.Errorf("serve token reviews: %w", err)
	}
	return nil
}

// newManager makes the manager of the controller that follows the objects.
func newManager(cluster *rest.Config, known *providers, log logr.Logger) (manager.Manager, error) {
	scheme := runtime.NewScheme()
	if err := oidcv1alpha1.AddToScheme(scheme); err != nil {
		return nil, fmt.Errorf("add kinds: %w", err)
	}
	mgr, err := manager.New(cluster, manager.Options{Scheme: scheme, Logger: log, Metrics: server.Options{BindAddress: "0"}, HealthProbeBindAddress: "0"})
	if err != nil {
		return nil, fmt.Errorf("make manager: %w", err)
	}
	if err := (&reconciler{client: mgr.GetClient(), providers: known, events: mgr.GetEventRecorder(Name)}).addTo(mgr); err != nil {
		return nil, fmt.Errorf("add controller: %w", err)
	}
	return mgr, nil
}

// newServer makes the server: it already listens, but does not answer.
func newServer(c Config, known *providers, mgr manager.Manager) (out *genericapiserver.GenericAPIServer, err error) {
	config := genericapiserver.NewConfig(serializer.NewCodecFactory(runtime.NewScheme()))
	config.EffectiveVersion = compatibility.DefaultBuildEffectiveVersion()
	config.EnableProfiling, config.EnableDiscovery, config.EnableIndex, config.SkipOpenAPIInstallation = false, false, false, true
	defer func() {
		if err != nil && config.SecureServing != nil { // this process may try again
			_ = config.SecureServing.Listener.Close()
		}
	}()
	if err := secure(config, c); err != nil {
		return nil, err
	}
	config.AddReadyzChecks(healthz.NamedCheck("openidconnects", func(req *http.Request) error {
		if !mgr.GetCache().WaitForCacheSync(req.Context()) {
			return errors.New("the OpenIDConnects have not been read yet")
		}
		return nil
	}))
	out, err = config.Complete(nil).New(Name, genericapiserver.NewEmptyDelegate())
	if err != nil {
		return nil, fmt.Errorf("build server: %w", err)
	}
	out.Handler.NonGoRestfulMux.Handle(Path, review{known})
	return out, nil
}

// secure opens the port and asks the cluster who callers are and what they may do.
func secure(config *genericapiserver.Config, c Config) error {
	serving := options.NewSecureServingOptions().WithLoopback()
	serving.BindAddress, serving.BindPort = c.BindAddress, c.Port
	serving.ServerCert.CertKey.CertFile, serving.ServerCert.CertKey.KeyFile = c.CertFile, c.KeyFile
	if err := serving.ApplyTo(&config.SecureServing, &config.LoopbackClientConfig); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	authentication := options.NewDelegatingAuthenticationOptions()
	authentication.RemoteKubeConfigFile = c.Kubeconfig
	if err := authentication.ApplyTo(&config.Authentication, config.SecureServing, nil); err != nil {
		return fmt.Errorf("set up authentication: %w", err)
	}
	authorization := options.NewDelegatingAuthorizationOptions().WithAlwaysAllowPaths("/livez", "/readyz", "/healthz")
	authorization.RemoteKubeConfigFile = c.Kubeconfig
	if err := authorization.ApplyTo(&config.Authorization); err != nil {
		return fmt.Errorf("set up authorization: %w", err)
	}
	return nil
}
