package app

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

// garden returns a client for the garden of a running landscape.
func (l *landscape) garden(ctx context.Context) (client.WithWatch, error) {
	return l.gardenWithin(ctx, 0)
}

// gardenWithin is garden with a time limit of each request, discovery included; 0 means none.
func (l *landscape) gardenWithin(ctx context.Context, limit time.Duration) (client.WithWatch, error) {
	config, err := l.gardenConfig(ctx, limit)
	if err != nil {
		return nil, err
	}
	return client.NewWithWatch(config, client.Options{Scheme: gardenScheme()})
}

// gardenConfig is the configuration of such a client.
func (l *landscape) gardenConfig(ctx context.Context, limit time.Duration) (*rest.Config, error) {
	if _, err := l.running(); err != nil {
		return nil, err
	}
	config, err := clientcmd.BuildConfigFromFlags("", l.paths.Kubeconfig(gardenKubeconfig))
	if err != nil {
		return nil, &exitError{code: codeFailure, err: fmt.Errorf("read the garden's kubeconfig: %w", err), hint: `wait until the landscape is ready with "gardener up"`}
	}
	if config, err = withoutPlugin(ctx, config); err != nil {
		return nil, err
	}
	config.Timeout = limit
	return config, nil
}

// gardenScheme knows the kinds of the garden.
func gardenScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	utilruntime.Must(install.AddGarden(scheme))
	return scheme
}
