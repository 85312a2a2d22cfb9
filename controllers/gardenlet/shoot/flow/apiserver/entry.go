package apiserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubeapiserver"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/status"
	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Entry is the access to the API server: the Service in the seed and the route from the front door to the Service.
type Entry struct {
	Space    seed.Space
	Exposure exposure.Shoot
	Status   *status.Writer
}

// DeployService writes the Service.
func (e Entry) DeployService(ctx context.Context) error {
	_, err := e.Space.Apply(ctx, kubeapiserver.Service(e.Space.Name))
	return err
}

// AwaitService returns the cluster IP of the Service.
func (e Entry) AwaitService(ctx context.Context) (string, error) {
	service := kubeapiserver.Service(e.Space.Name)
	err := await.Until(ctx, e.Space.Client, service, func() error {
		if net.ParseIP(service.Spec.ClusterIP) == nil {
			return errors.New("no cluster IP yet")
		}
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("wait for service %q: %w", names.APIServer, err)
	}
	return service.Spec.ClusterIP, nil
}

// DestroyService deletes the Service, and with the shoot its door.
func (e Entry) DestroyService(ctx context.Context) error {
	if err := e.Exposure.CloseDoor(); err != nil {
		return err
	}
	return e.Space.Delete(ctx, kubeapiserver.Service(e.Space.Name))
}

// DeployRoute routes the names of the API server from the front door to the Service.
func (e Entry) DeployRoute(ctx context.Context) error {
	door, err := e.Exposure.Gateway()
	if err != nil {
		return err
	}
	gateway, route := kubeapiserver.Route(e.Space.Name, e.Exposure.APIServerHosts(), door.Labels)
	return e.Space.ApplyAll(ctx, gateway, route)
}

// DestroyRoute deletes the route.
func (e Entry) DestroyRoute(ctx context.Context) error {
	gateway, route := kubeapiserver.Route(e.Space.Name, nil, nil)
	return e.Space.Delete(ctx, route, gateway)
}

// EnsureAddresses opens the door of the shoot and writes the addresses of the API server to the status, for users.
func (e Entry) EnsureAddresses(ctx context.Context, clusterIP string) error {
	ip, err := netip.ParseAddr(clusterIP)
	if err != nil {
		return fmt.Errorf("read the address of service %q: %w", names.APIServer, err)
	}
	if err := e.Exposure.OpenDoor(netip.AddrPortFrom(ip, names.APIServerPort)); err != nil {
		return err
	}
	addresses, err := e.Exposure.Advertised()
	if err != nil {
		return err
	}
	return e.Status.Update(ctx, func(s *gardencorev1beta1.ShootStatus) { s.AdvertisedAddresses = addresses })
}
