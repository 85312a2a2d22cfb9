package networkpolicy

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

const (
	labelManagedBy = "app.kubernetes.io/managed-by"
	managedBy      = "gardenlet-networkpolicy"
	fieldOwner     = client.FieldOwner("gardenlet")
	// dnsIndex is the index of the address of the name server's Service in the range of services.
	dnsIndex = 10
)

// Reconciler handles the namespaces of one seed. All fields are required unless said otherwise.
type Reconciler struct {
	Garden      client.Reader // cached
	GardenCache cache.Cache   // changes in it wake the controller
	SeedReader  client.Reader // cached
	SeedClient  client.Client // uncached
	SeedName    string
	// Additional selects namespaces in addition to Gardener's own; it may be empty.
	Additional []metav1.LabelSelector
	// Operated reports whether another component writes the same policies in this cluster; nil means that none does.
	Operated func(context.Context) (bool, error)
	// Theirs returns a namespace whose policies another component writes, if any; nil means that there is none.
	Theirs func(context.Context) (string, error)
	// GardenService is the Service of the seed behind which pods find the garden; empty if there is none.
	GardenService client.ObjectKey

	own client.Reader // cached; only the endpoint slices of the API server of the seed and the Service of the garden
}

// Selectors select the namespaces with network policies: those of Gardener components, of extensions, and of shoots.
func Selectors(additional []metav1.LabelSelector) []metav1.LabelSelector {
	return append([]metav1.LabelSelector{{MatchExpressions: []metav1.LabelSelectorRequirement{{
		Key: constants.GardenRole, Operator: metav1.LabelSelectorOpIn, Values: []string{
			constants.GardenRoleGarden, constants.GardenRoleShoot, constants.GardenRoleIstioSystem, constants.GardenRoleIstioIngress,
			constants.GardenRoleExposureClassHandler, constants.GardenRoleExtension,
		},
	}}}}, additional...)
}

// Reconcile creates, updates and deletes the policies of a namespace. It deletes all policies if the namespace is no
// longer selected or the Seed is gone.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	namespace := namespaceMetadata()
	if err := r.SeedReader.Get(ctx, client.ObjectKey{Name: request.Name}, namespace); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if namespace.DeletionTimestamp != nil {
		return reconcile.Result{}, nil
	}
	if r.Operated != nil {
		if operated, err := r.Operated(ctx); err != nil {
			return reconcile.Result{}, err
		} else if operated {
			return reconcile.Result{RequeueAfter: operatedPeriod}, nil // the operator may go
		}
	}
	wanted, err := r.wanted(ctx, namespace)
	if err != nil {
		return reconcile.Result{}, err
	}
	wanted, again, err := r.holdBack(ctx, namespace, wanted)
	if err != nil {
		return reconcile.Result{}, err
	}
	if r.Theirs != nil && namespace.Name == constants.GardenNamespace { // an operator may come or go
		again = operatedPeriod
	}
	return reconcile.Result{RequeueAfter: again}, r.write(ctx, namespace.Name, wanted)
}

func (r *Reconciler) wanted(ctx context.Context, namespace *metav1.PartialObjectMetadata) ([]*networkingv1.NetworkPolicy, error) {
	if selected, err := r.selects(namespace.Labels); !selected || err != nil {
		return nil, err
	}
	if r.Theirs != nil {
		if theirs, err := r.Theirs(ctx); theirs == namespace.Name || err != nil {
			return nil, err
		}
	}
	seed := &gardencorev1beta1.Seed{}
	if err := r.Garden.Get(ctx, client.ObjectKey{Name: r.SeedName}, seed); apierrors.IsNotFound(err) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("read seed %q: %w", r.SeedName, err)
	}
	networks, err := r.networks(ctx, seed.Spec.Networks, namespace)
	if err != nil {
		return nil, err
	}
	return Policies(namespace.Name, networks), nil
}

func (r *Reconciler) selects(set map[string]string) (bool, error) {
	for _, candidate := range Selectors(r.Additional) {
		selector, err := metav1.LabelSelectorAsSelector(&candidate)
		if err != nil {
			return false, fmt.Errorf("selector of additional namespaces: %w", err)
		}
		if selector.Matches(labels.Set(set)) {
			return true, nil
		}
	}
	return false, nil
}

// write applies the policies that differ and deletes those that are not desired.
func (r *Reconciler) write(ctx context.Context, namespace string, wanted []*networkingv1.NetworkPolicy) error {
	existing := &networkingv1.NetworkPolicyList{}
	if err := r.SeedReader.List(ctx, existing, client.InNamespace(namespace), client.MatchingLabels{labelManagedBy: managedBy}); err != nil {
		return fmt.Errorf("list network policies: %w", err)
	}
	found := map[string]*networkingv1.NetworkPolicy{}
	for i := range existing.Items {
		found[existing.Items[i].Name] = &existing.Items[i]
	}
	applier := patch.Applier{Client: r.SeedClient, Owner: fieldOwner}
	for _, policy := range wanted {
		current := found[policy.Name]
		delete(found, policy.Name)
		if current != nil && equality.Semantic.DeepEqual(current.Spec, policy.Spec) {
			continue
		}
		if _, err := applier.Apply(ctx, policy); err != nil {
			return err // the policy that denies all traffic must wait for those that allow some
		}
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(found)) {
		unchanged := client.Preconditions{UID: &found[name].UID, ResourceVersion: &found[name].ResourceVersion} // another writer may have taken it
		errs = append(errs, client.IgnoreNotFound(r.SeedClient.Delete(ctx, found[name], unchanged)))
	}
	return errors.Join(errs...)
}

func (r *Reconciler) networks(ctx context.Context, ranges gardencorev1beta1.SeedNetworks, namespace *metav1.PartialObjectMetadata) (Networks, error) {
	n := Networks{Blocked: ranges.BlockCIDRs, DNS: []string{DNSAddress(ranges.Services)}}
	for _, text := range []string{ptr.Deref(ranges.Nodes, ""), ranges.Pods, ranges.Services} {
		if text != "" {
			n.Seed = append(n.Seed, text)
		}
	}
	var err error
	if n.APIServer, err = r.apiServer(ctx); err != nil {
		return n, err
	}
	if n.Garden, err = r.garden(ctx); err != nil {
		return n, err
	}
	n.APIServer = append(n.APIServer, APIServerOf(ranges.Services)...)
	if namespace.Labels[constants.GardenRole] == constants.GardenRoleShoot {
		n.Shoot, err = r.shoot(ctx, namespace.Name)
	}
	return n, err
}

// DNSAddress is the usual address of the name server's Service in a range of Services.
func DNSAddress(services string) string { return nth(services, dnsIndex) }

// APIServerOf is the Service kubernetes in a range of Services, for networks that apply policies before they translate addresses.
func APIServerOf(services string) []Endpoint {
	if address := nth(services, 1); address != "" {
		return []Endpoint{{Address: address, Port: 443}}
	}
	return nil
}

func (r *Reconciler) apiServer(ctx context.Context) ([]Endpoint, error) { return APIServer(ctx, r.own) }

// APIServer returns the endpoints of the Service kubernetes.
func APIServer(ctx context.Context, reader client.Reader) ([]Endpoint, error) {
	list := &discoveryv1.EndpointSliceList{}
	if err := reader.List(ctx, list, client.InNamespace(metav1.NamespaceDefault), client.MatchingLabels{discoveryv1.LabelServiceName: apiServerService}); err != nil {
		return nil, fmt.Errorf("list endpoint slices of the API server: %w", err)
	}
	var found []Endpoint
	for _, slice := range list.Items {
		for _, port := range slice.Ports {
			if ptr.Deref(port.Protocol, corev1.ProtocolTCP) != corev1.ProtocolTCP || port.Port == nil {
				continue
			}
			for _, endpoint := range slice.Endpoints {
				for _, address := range endpoint.Addresses {
					found = append(found, Endpoint{Address: address, Port: *port.Port})
				}
			}
		}
	}
	slices.SortFunc(found, func(a, b Endpoint) int {
		if a.Address != b.Address {
			return strings.Compare(a.Address, b.Address)
		}
		return int(a.Port - b.Port)
	})
	return slices.Compact(found), nil
}

// garden is the Service of the garden. Until there is one, nobody is allowed to reach it.
func (r *Reconciler) garden(ctx context.Context) (Garden, error) {
	if r.GardenService.Name == "" {
		return Garden{}, nil
	}
	service := &corev1.Service{}
	if err := r.own.Get(ctx, r.GardenService, service); client.IgnoreNotFound(err) != nil {
		return Garden{}, fmt.Errorf("read the Service of the garden: %w", err)
	}
	return GardenOf(service), nil
}

// GardenOf is the garden behind a Service.
func GardenOf(service *corev1.Service) Garden {
	found := Garden{Address: service.Spec.ClusterIP, Namespace: service.Namespace, Pods: service.Spec.Selector}
	if len(service.Spec.Ports) > 0 {
		found.Port = service.Spec.Ports[0].TargetPort
	}
	return found
}

// shoot returns the ranges of the Shoot of the namespace.
func (r *Reconciler) shoot(ctx context.Context, namespace string) ([]string, error) {
	list := &gardencorev1beta1.ShootList{}
	if err := r.Garden.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("list shoots: %w", err)
	}
	for i := range list.Items {
		if list.Items[i].Status.TechnicalID == namespace {
			return shootRanges(&list.Items[i]), nil
		}
	}
	return nil, nil
}

// shootRanges returns the ranges in the spec and the status of the Shoot, sorted.
func shootRanges(shoot *gardencorev1beta1.Shoot) []string {
	var out []string
	if wanted := shoot.Spec.Networking; wanted != nil {
		out = append(out, ptr.Deref(wanted.Nodes, ""), ptr.Deref(wanted.Pods, ""), ptr.Deref(wanted.Services, ""))
	}
	if got := shoot.Status.Networking; got != nil {
		out = slices.Concat(out, got.Nodes, got.Pods, got.Services)
	}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(text string) bool { return text == "" })
}
