package addons

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	component "github.com/gardener-up/gardener-up/controllers/gardenlet/component/addons"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/connection"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/dns"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Ingress is the ingress controller add-on of a shoot.
type Ingress struct {
	Shoot *gardencorev1beta1.Shoot
	// Domain is the external domain of the shoot, nil if it has none that is managed.
	Domain *operation.Domain
	Space  seed.Space
	DNS    dns.Records
}

// Enabled reports whether the shoot has the ingress controller.
func Enabled(shoot *gardencorev1beta1.Shoot) bool {
	config := shoot.Spec.Addons
	return config != nil && config.NginxIngress != nil && config.NginxIngress.Enabled
}

// Deploy deploys the ingress controller, or removes it if the shoot has it switched off.
func (i Ingress) Deploy(ctx context.Context) error {
	if !Enabled(i.Shoot) {
		return i.Delete(ctx)
	}
	return i.Space.DeployManaged(ctx, component.ResourceIngress, false, component.Ingress(*i.Shoot.Spec.Addons.NginxIngress)...)
}

// Delete removes the ingress controller.
func (i Ingress) Delete(ctx context.Context) error {
	return i.Space.DeleteManaged(ctx, component.ResourceIngress)
}

// Await waits until the load balancer of the ingress controller has an address.
func (i Ingress) Await(ctx context.Context, shoot connection.Connection) error {
	return await.Poll(ctx, func() error {
		_, err := ingressAddresses(ctx, shoot.Client)
		return err
	})
}

// DeployDNS publishes a record that leads all names in the ingress domain to the load balancer, or removes it.
func (i Ingress) DeployDNS(ctx context.Context, shoot connection.Connection) error {
	if !Enabled(i.Shoot) || i.Domain == nil || i.Domain.Provider == "" {
		return i.DestroyDNS(ctx)
	}
	addresses, err := ingressAddresses(ctx, shoot.Client)
	if err != nil {
		return err
	}
	return i.DNS.Publish(ctx, constants.DNSRecordIngressName, i.Domain, "*."+constants.IngressPrefix+"."+i.Domain.Name, addresses)
}

// DestroyDNS removes the record of the names in the ingress domain.
func (i Ingress) DestroyDNS(ctx context.Context) error {
	return i.DNS.Destroy(ctx, constants.DNSRecordIngressName)
}

func ingressAddresses(ctx context.Context, shoot client.Reader) ([]string, error) {
	service := &corev1.Service{}
	if err := shoot.Get(ctx, client.ObjectKey{Namespace: metav1.NamespaceSystem, Name: component.IngressService}, service); err != nil {
		return nil, fmt.Errorf("read service of the ingress controller: %w", err)
	}
	var out []string
	for _, ingress := range service.Status.LoadBalancer.Ingress {
		if ingress.Hostname != "" {
			return []string{ingress.Hostname}, nil // a name cannot have both
		}
		if ingress.IP != "" {
			out = append(out, ingress.IP)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("load balancer of the ingress controller has no address yet")
	}
	return out, nil
}
