package flow

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/addons"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// deployDashboard deploys the dashboard that a shoot may have, or removes it.
func (p *Plan) deployDashboard(ctx context.Context) error {
	config := p.Shoot.Spec.Addons
	if config == nil || config.KubernetesDashboard == nil || !config.KubernetesDashboard.Enabled {
		return p.deleteManaged(ctx, addons.ResourceDashboard)
	}
	return p.deployManaged(ctx, addons.ResourceDashboard, false, addons.Dashboard(*config.KubernetesDashboard)...)
}

// hasIngress tells whether the shoot has the ingress controller.
func (p *Plan) hasIngress() bool {
	config := p.Shoot.Spec.Addons
	return config != nil && config.NginxIngress != nil && config.NginxIngress.Enabled
}

// deployIngress deploys the ingress controller that a shoot may have, or removes it.
func (p *Plan) deployIngress(ctx context.Context) error {
	if !p.hasIngress() {
		return p.deleteManaged(ctx, addons.ResourceIngress)
	}
	return p.deployManaged(ctx, addons.ResourceIngress, false, addons.Ingress(*p.Shoot.Spec.Addons.NginxIngress)...)
}

// awaitIngress waits until the load balancer of the ingress controller has an address.
func (p *Plan) awaitIngress(ctx context.Context) error {
	return poll(ctx, func() error {
		_, err := p.ingressAddresses(ctx)
		return err
	})
}

func (p *Plan) ingressAddresses(ctx context.Context) ([]string, error) {
	service := &corev1.Service{}
	if err := p.shoot.Get(ctx, client.ObjectKey{Namespace: metav1.NamespaceSystem, Name: addons.IngressService}, service); err != nil {
		return nil, fmt.Errorf("read service of the ingress controller: %w", err)
	}
	var out []string
	for _, ingress := range service.Status.LoadBalancer.Ingress {
		if ingress.Hostname != "" {
			return []string{ingress.Hostname}, nil // a name cannot have two of them
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

// deployIngressDNS has all names below the ingress domain lead to the load balancer, or withdraws them.
func (p *Plan) deployIngressDNS(ctx context.Context) error {
	if !p.hasIngress() || p.External == nil || p.External.Provider == "" {
		return p.destroyIngressDNS(ctx)
	}
	addresses, err := p.ingressAddresses(ctx)
	if err != nil {
		return err
	}
	return p.publish(ctx, constants.DNSRecordIngressName, p.External, "*."+constants.IngressPrefix+"."+p.External.Name, addresses)
}

func (p *Plan) destroyIngressDNS(ctx context.Context) error {
	return p.destroyDNS(ctx, constants.DNSRecordIngressName)
}
