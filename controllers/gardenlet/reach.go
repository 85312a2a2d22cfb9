package gardenlet

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// reachTimeout bounds each question to a garden that does not answer.
const reachTimeout = 15 * time.Second

// checkGarden returns an error that tells operators what to look at if the seed cannot reach the API server of the garden, or if
// that server serves no Gardener API. Caches of a manager would only say after minutes that they are not filled.
func checkGarden(ctx context.Context, seed string, garden *rest.Config) error {
	asking := rest.CopyConfig(garden)
	asking.Timeout = reachTimeout
	asked, err := discovery.NewDiscoveryClientForConfig(asking)
	if err != nil {
		return fmt.Errorf("make client of the garden: %w", err)
	}
	group := gardencorev1beta1.SchemeGroupVersion
	for _, path := range []string{"/version", "/apis/" + group.String()} {
		err := asked.RESTClient().Get().AbsPath(path).Do(ctx).Error()
		switch {
		case err == nil:
		case path == "/version":
			return unreached(seed, garden.Host, err)
		default:
			return fmt.Errorf("the server %s of the gardenlet's kubeconfig does not serve %s: either it is not the API server of a garden, "+
				"or the Gardener API server behind it does not answer: %w", garden.Host, group, err)
		}
	}
	return nil
}

func unreached(seed, server string, err error) error {
	return fmt.Errorf("seed %s cannot reach the API server of the garden, which each gardenlet needs: look at the server %s of its kubeconfig, "+
		"at names, routes and firewalls between the seed and this server, and at the credentials: %w", seed, server, err)
}

// connectError is the error of a gardenlet that got no access to the garden. One that requests its certificate needs the garden, too.
func connectError(seed string, err error) error {
	var failed *url.Error // nothing answered
	if !errors.As(err, &failed) {
		return fmt.Errorf("access to the garden: %w", err)
	}
	server := failed.URL
	if asked, parseErr := url.Parse(failed.URL); parseErr == nil {
		server = asked.Scheme + "://" + asked.Host
	}
	return unreached(seed, server, err)
}
