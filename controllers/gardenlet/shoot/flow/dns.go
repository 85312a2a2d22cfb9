package flow

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/frontdoor"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

func (p *Plan) deployInternalDNS(ctx context.Context) error {
	return p.deployDNS(ctx, constants.DNSRecordInternalName, p.Internal)
}

// deployExternalDNS leaves a domain alone that nobody gave credentials for: its owner publishes the name.
func (p *Plan) deployExternalDNS(ctx context.Context) error {
	if p.External == nil || p.External.Provider == "" {
		return p.destroyExternalDNS(ctx)
	}
	return p.deployDNS(ctx, constants.DNSRecordExternalName, p.External)
}

// deployDNS publishes the name of the API server in a domain and waits until that is done.
func (p *Plan) deployDNS(ctx context.Context, name string, domain *operation.Domain) error {
	gateway, err := p.gateway()
	if err != nil {
		return err
	}
	if len(gateway.Addresses) == 0 {
		return errors.New("the front door has no address")
	}
	return p.publish(ctx, name, domain, domain.APIServer(), gateway.Addresses)
}

// publish has a host name in a domain lead to addresses and waits until that is done.
func (p *Plan) publish(ctx context.Context, name string, domain *operation.Domain, host string, addresses []string) error {
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name: "dnsrecord-" + p.Shoot.Name + "-" + name, Namespace: p.namespace,
			Labels: map[string]string{constants.GardenRole: constants.GardenRoleControlPlane},
		},
		Type: corev1.SecretTypeOpaque, Data: domain.Credentials,
	}
	if _, err := p.seed.Apply(ctx, secret); err != nil {
		return err
	}
	record := p.dnsRecord(name)
	record.Spec = extensionsv1alpha1.DNSRecordSpec{
		DefaultSpec: extensionsv1alpha1.DefaultSpec{Type: domain.Provider},
		SecretRef:   corev1.SecretReference{Name: secret.Name, Namespace: p.namespace},
		Name:        host,
		RecordType:  recordType(addresses),
		Values:      addresses,
		TTL:         ptr.To(p.DNSRecordTTL),
	}
	if domain.Zone != "" {
		record.Spec.Zone = ptr.To(domain.Zone)
	}
	stamp, err := p.objects.Deploy(ctx, record, constants.GardenerOperationReconcile)
	if err != nil {
		return err
	}
	return p.objects.Wait(ctx, record, stamp)
}

func (p *Plan) dnsRecord(name string) *extensionsv1alpha1.DNSRecord {
	return &extensionsv1alpha1.DNSRecord{ObjectMeta: metav1.ObjectMeta{Name: p.Shoot.Name + "-" + name, Namespace: p.namespace}}
}

// gateway is the front door of the shoot: the usual one, or that of its exposure class.
func (p *Plan) gateway() (Gateway, error) {
	if p.ExposureClass == nil {
		return Gateway{Labels: p.FrontDoorLabels, Addresses: p.FrontDoorAddresses}, nil
	}
	gateway, found := p.Gateways[p.ExposureClass.Handler]
	if !found {
		return Gateway{}, fmt.Errorf("seed %q has no gateway for handler %q of exposure class %q: its gardenlet's configuration names none under exposureClassHandlers",
			p.Seed.Name, p.ExposureClass.Handler, p.ExposureClass.Name)
	}
	return gateway, nil
}

// fromNodes is host:port by which nodes reach one of the ports of the shoot's gateway.
func (p *Plan) fromNodes(port func(frontdoor.Ports) int32) (string, error) {
	gateway, err := p.gateway()
	if err != nil {
		return "", err
	}
	ports := gateway.Ports
	if ports == (frontdoor.Ports{}) {
		ports = frontdoor.UsualPorts
		ports.TLS = int32(p.MachineServerPort)
	}
	return net.JoinHostPort(p.Internal.APIServer(), strconv.Itoa(int(port(ports)))), nil
}

// recordType follows from the values: all addresses, or a host name.
func recordType(values []string) extensionsv1alpha1.DNSRecordType {
	ip := net.ParseIP(values[0])
	switch {
	case ip == nil:
		return extensionsv1alpha1.DNSRecordTypeCNAME
	case ip.To4() == nil:
		return extensionsv1alpha1.DNSRecordTypeAAAA
	}
	return extensionsv1alpha1.DNSRecordTypeA
}

func (p *Plan) destroyInternalDNS(ctx context.Context) error {
	return p.destroyDNS(ctx, constants.DNSRecordInternalName)
}

func (p *Plan) destroyExternalDNS(ctx context.Context) error {
	return p.destroyDNS(ctx, constants.DNSRecordExternalName)
}

// destroyDNS withdraws a name and waits until that is done.
func (p *Plan) destroyDNS(ctx context.Context, name string) error {
	record := p.dnsRecord(name)
	if err := p.objects.Delete(ctx, record); err != nil {
		return err
	}
	if err := p.objects.WaitGone(ctx, record); err != nil {
		return err
	}
	return p.delete(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "dnsrecord-" + record.Name, Namespace: p.namespace}})
}
