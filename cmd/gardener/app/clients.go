package app

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
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
	if _, err := l.running(); err != nil {
		return nil, err
	}
	config, err := clientcmd.BuildConfigFromFlags("", l.paths.Kubeconfig(gardenKubeconfig))
	if err != nil {
		return nil, fmt.Errorf("read the garden's kubeconfig: %w", err)
	}
	if config, err = withoutPlugin(ctx, config); err != nil {
		return nil, err
	}
	config.Timeout = limit
	scheme := runtime.NewScheme()
	if err := install.AddGarden(scheme); err != nil {
		return nil, err
	}
	return client.NewWithWatch(config, client.Options{Scheme: scheme})
}
