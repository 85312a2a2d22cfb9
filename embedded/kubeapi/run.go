package kubeapi

import (
	"context"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"

	"github.com/gardener-up/gardener-up/embedded/internal/sharedetcd"
	"github.com/gardener-up/gardener-up/embedded/kubeapi/openapi"
)

// run serves until ctx ends. It is kube-apiserver with another way to serve OpenAPI documents, and a shorter one to an
// aggregated server of this process, if there is one.
func run(ctx context.Context, opts options.CompletedOptions, aggregated *Aggregated, openAPIIdle time.Duration, log logr.Logger) error {
	sharedetcd.Enable()
	config, err := app.NewConfig(opts)
	if err != nil {
		return fmt.Errorf("configure kube-apiserver: %w", err)
	}
	openapi.Skip(config)
	var direct *shortcut
	if aggregated != nil {
		direct = &shortcut{Aggregated: *aggregated}
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
	if err := openapi.Install(ctx, config, server, openAPIIdle, log); err != nil {
		return fmt.Errorf("serve OpenAPI: %w", err)
	}
	return server.GenericAPIServer.PrepareRun().RunWithContext(ctx)
}

// complete fills in and checks what the flags say.
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
