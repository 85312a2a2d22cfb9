// Package entrance looks at the way from users to the API server of a garden: the Service of its gateway, the load balancer, and the DNS record.
// Others make these, so that all findings are warnings with what to do. It changes nothing.
package entrance

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/local/doctor"
)

// Service is the name of the Service of the gateway, and Namespace its namespace.
const (
	Service   = constants.VirtualGardenSNIIngressService
	Namespace = constants.VirtualGardenSNIIngressNamespace
)

// APIServer is the name of the Deployment to which the gateway leads, in namespace garden.
const APIServer = "virtual-garden-kube-apiserver"

// Names of the checks.
const checkBalancer, checkRecord = "load balancer", "DNS"

const (
	// patience is how long a load balancer may take.
	patience = 3 * time.Minute
	// answers is how long a name server may take.
	answers = 2 * time.Second
)

// ByHand is how the garden is reached without a record.
const ByHand = `forward a port to the Service, and name its end: "gardener bootstrap kubeconfig --server https://127.0.0.1:8443"`

// Inputs of the checks.
type Inputs struct {
	Client client.Client
	// Domain of the garden. Without one, the record is not looked at.
	Domain string
	// Lookup asks the name servers of this machine; net.DefaultResolver.LookupHost if it is nil.
	Lookup func(ctx context.Context, host string) ([]string, error)
	// Now is the time; time.Now if it is nil.
	Now func() time.Time
}

// Look returns what it finds. A garden that is not there yet has no Service.
func Look(ctx context.Context, in Inputs) []doctor.Finding {
	if in.Lookup == nil {
		in.Lookup = net.DefaultResolver.LookupHost
	}
	if in.Now == nil {
		in.Now = time.Now
	}
	service := &corev1.Service{}
	err := in.Client.Get(ctx, client.ObjectKey{Namespace: Namespace, Name: Service}, service)
	if apierrors.IsNotFound(err) {
		service = nil
	} else if err != nil {
		return []doctor.Finding{warning(checkBalancer, "look at the cluster", "the Service %s/%s cannot be read: %v", Namespace, Service, err)}
	}
	var findings []doctor.Finding
	if service != nil && service.Spec.Type == corev1.ServiceTypeLoadBalancer {
		findings = append(findings, in.balancer(service))
	}
	if in.Domain == "" {
		return findings
	}
	return append(findings, in.record(ctx, service))
}

// balancer asks whether somebody has given the Service an address.
func (in Inputs) balancer(service *corev1.Service) doctor.Finding {
	if found := assigned(service); len(found) > 0 {
		return fine(checkBalancer, "%s", strings.Join(found, ", "))
	}
	age := in.Now().Sub(service.CreationTimestamp.Time).Round(time.Second)
	if age < patience {
		return fine(checkBalancer, "the Service %s has no address yet, after %s", Service, age)
	}
	return warning(checkBalancer, "see: kubectl -n "+Namespace+" describe service "+Service+`; where nobody makes load balancers, run "gardener bootstrap" again with --service-type NodePort`,
		"the Service %s has had no address for %s: no controller of the cluster has made a load balancer", Service, age)
}

func assigned(service *corev1.Service) (found []string) {
	for _, one := range service.Status.LoadBalancer.Ingress {
		if one.IP != "" {
			found = append(found, one.IP)
		} else if one.Hostname != "" {
			found = append(found, one.Hostname)
		}
	}
	return found
}

// record compares the addresses of api.<domain> with those of the Service.
func (in Inputs) record(ctx context.Context, service *corev1.Service) doctor.Finding {
	host := "api." + in.Domain
	places, err := in.places(ctx, service)
	if err != nil {
		return warning(checkRecord, "look at the cluster", "nobody knows where %s should lead: %v", host, err)
	}
	target := "the Service " + Service + " of namespace " + Namespace
	if len(places) > 0 {
		target = strings.Join(places, " or ")
	}
	cure := "make a DNS record that leads to " + target + "; until then, " + ByHand
	found, err := in.lookup(ctx, host)
	missing, isDNS := errors.AsType[*net.DNSError](err)
	switch {
	case isDNS && missing.IsNotFound || err == nil && len(found) == 0:
		return warning(checkRecord, cure, "%s has no address", host)
	case err != nil:
		return warning(checkRecord, "look at the name servers of this machine", "the name servers of this machine do not say where %s is: %v", host, err)
	case len(places) == 0:
		return fine(checkRecord, "%s is %s", host, strings.Join(found, ", "))
	}
	leads := in.resolved(ctx, places)
	if slices.ContainsFunc(found, func(address string) bool { return slices.Contains(leads, address) }) {
		return fine(checkRecord, "%s is %s", host, strings.Join(found, ", "))
	}
	return warning(checkRecord, cure, "%s is %s, and the API server is at %s; that is right only if something there forwards to it", host, strings.Join(found, ", "), strings.Join(places, ", "))
}

// places are where the Service is reached from outside; of the type ClusterIP from the nodes only. None if nobody knows yet.
func (in Inputs) places(ctx context.Context, service *corev1.Service) ([]string, error) {
	switch {
	case service == nil:
		return nil, nil
	case service.Spec.Type == corev1.ServiceTypeLoadBalancer:
		return assigned(service), nil
	case service.Spec.Type != corev1.ServiceTypeNodePort:
		return service.Spec.ClusterIPs, nil
	}
	nodes := &corev1.NodeList{}
	if err := in.Client.List(ctx, nodes); err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	var places []string
	for _, node := range nodes.Items {
		for _, address := range node.Status.Addresses {
			if address.Type == corev1.NodeInternalIP || address.Type == corev1.NodeExternalIP {
				places = append(places, address.Address)
			}
		}
	}
	return places, nil
}

// resolved replaces names of load balancers by their addresses.
func (in Inputs) resolved(ctx context.Context, places []string) (addresses []string) {
	for _, place := range places {
		if net.ParseIP(place) != nil {
			addresses = append(addresses, place)
			continue
		}
		found, _ := in.lookup(ctx, place)
		addresses = append(addresses, found...)
	}
	return addresses
}

func (in Inputs) lookup(ctx context.Context, host string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, answers)
	defer cancel()
	return in.Lookup(ctx, host)
}

func fine(check, format string, args ...any) doctor.Finding {
	return doctor.Finding{Check: check, State: doctor.OK, Message: fmt.Sprintf(format, args...)}
}

func warning(check, cure, format string, args ...any) doctor.Finding {
	return doctor.Finding{Check: check, State: doctor.Warning, Message: fmt.Sprintf(format, args...), Cure: cure}
}
