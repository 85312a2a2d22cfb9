package kubeapi

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/go-logr/logr"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"

	"github.com/gardener-up/gardener-up/embedded/internal/fairness"
	"github.com/gardener-up/gardener-up/embedded/internal/peruser"
	"github.com/gardener-up/gardener-up/embedded/internal/sharedetcd"
	"github.com/gardener-up/gardener-up/embedded/internal/shutdown"
	"github.com/gardener-up/gardener-up/embedded/internal/storagelimit"
	"github.com/gardener-up/gardener-up/embedded/kubeapi/openapi"
	"github.com/gardener-up/gardener-up/embedded/kubeapi/podaddress"
	"github.com/gardener-up/gardener-up/embedded/kubeapi/tokenkeys"
)

// own holds settings without a flag of kube-apiserver.
type own struct {
	aggregated      *Aggregated // called directly; nil if there is none
	storage         storagelimit.Limit
	openAPIIdle     time.Duration   // how long OpenAPI documents are kept
	perUser         *peruser.Limits // nil in clusters that are no landscape's
	publishLoopback bool            // the advertised address is published even though it is a loopback address
	podAddresses    bool            // Endpoints and EndpointSlices may have the loopback addresses of pods
	guard           *guard          // of requests for users; nil if users are trusted
	last            bool            // no other server takes over when this one ends
	watchEtcds      bool            // the members of its etcds tell it about their disks
}

// run serves until ctx ends. It runs kube-apiserver with a different way to serve OpenAPI documents, and with the
// settings in own.
func run(ctx context.Context, opts options.CompletedOptions, own own, log logr.Logger) error {
	sharedetcd.Enable()
	kinds := &policyKinds{}
	kinds.register(opts.Admission.GenericAdmission)
	config, err := app.NewConfig(opts)
	if err != nil {
		return fmt.Errorf("configure kube-apiserver: %w", err)
	}
	if err := kinds.watch(config.KubeAPIs.ControlPlane.Generic, log); err != nil {
		return fmt.Errorf("watch kinds for admission policies: %w", err)
	}
	if own.watchEtcds {
		if own.storage.Etcds, err = storagelimit.Etcds(ctx, opts.Etcd.StorageConfig.Transport, opts.Etcd.EtcdServersOverrides, log); err != nil {
			return err
		}
	}
	openapi.Skip(config)
	pollCertificates(config)
	for _, generic := range []*genericapiserver.Config{config.KubeAPIs.ControlPlane.Generic, &config.ApiExtensions.GenericConfig.Config} {
		generic.AdmissionControl = storagelimit.Guard(generic.AdmissionControl, own.storage)
	}
	if own.podAddresses {
		generic := config.KubeAPIs.ControlPlane.Generic
		generic.AdmissionControl = podaddress.Admission(generic.AdmissionControl)
		generic.RESTOptionsGetter = podaddress.Storage(generic.RESTOptionsGetter)
		proxyToPods(config, own.guard)
	}
	if own.publishLoopback {
		reconciler, err := newPublisher(config.KubeAPIs.ControlPlane.Generic.RESTOptionsGetter)
		if err != nil {
			return fmt.Errorf("publish the address of kube-apiserver: %w", err)
		}
		config.KubeAPIs.EndpointReconcilerConfig.Reconciler = reconciler
	}
	if own.perUser != nil { // before the shortcut, whose requests have limits, too
		chain := &config.Aggregator.GenericConfig.Config
		if chain.FlowControl != nil {
			chain.FlowControl = fairness.Bound(chain.FlowControl, *own.perUser, chain.MaxRequestsInFlight+chain.MaxMutatingRequestsInFlight)
		}
		build := chain.BuildHandlerChainFunc
		chain.BuildHandlerChainFunc = func(api http.Handler, c *genericapiserver.Config) http.Handler {
			return build(own.perUser.Filter(api), c)
		}
	}
	if own.guard != nil {
		own.guard.converters(config)
		own.guard.kubelets(config)
		if err := own.guard.proxyToNodes(config); err != nil {
			return err
		}
		own.guard.services(config)
		if pods := own.guard.pods; pods != nil {
			pods.Use(ctx, config.KubeAPIs.ControlPlane.Generic.LoopbackClientConfig)
		}
	}
	var direct *shortcut
	if own.aggregated != nil {
		direct = &shortcut{Aggregated: *own.aggregated}
		direct.install(&config.Aggregator.GenericConfig.Config)
	}
	completed, err := config.Complete()
	if err != nil {
		return fmt.Errorf("complete configuration of kube-apiserver: %w", err)
	}
	server, err := app.CreateServerChain(completed)
	if err != nil {
		return fmt.Errorf("build kube-apiserver: %w", err)
	}
	if direct != nil {
		services := server.APIRegistrationInformers.Apiregistration().V1().APIServices().Lister()
		direct.services.Store(&services)
	}
	if err := openapi.Install(ctx, config, server, own.openAPIIdle, log); err != nil {
		return fmt.Errorf("serve OpenAPI: %w", err)
	}
	return shutdown.Run(ctx, server.GenericAPIServer, own.last)
}

// complete fills in and validates the flags.
func complete(ctx context.Context, opts *options.ServerRunOptions) (options.CompletedOptions, error) {
	completed, err := opts.Complete(ctx)
	if err != nil {
		return completed, fmt.Errorf("complete flags: %w", err)
	}
	if errs := completed.Validate(); len(errs) > 0 {
		return completed, fmt.Errorf("validate flags: %w", utilerrors.NewAggregate(errs))
	}
	return completed, nil
}

// useTokenKeys replaces the keys of the flags by keys that can change.
func useTokenKeys(opts options.CompletedOptions, keys *tokenkeys.Keys) error {
	if keys == nil {
		return nil
	}
	if err := keys.Load(); err != nil {
		return err
	}
	opts.ServiceAccountIssuer = keys
	accounts := opts.Authentication.ServiceAccounts
	accounts.KeyFiles, accounts.ExternalPublicKeysGetter = nil, keys
	return nil
}
