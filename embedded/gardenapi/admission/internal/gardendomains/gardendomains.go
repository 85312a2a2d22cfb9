// Package gardendomains reads the default domains of the garden from their Secrets.
package gardendomains

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Selector selects the Secrets with default domains, which are in the garden namespace.
const Selector = constants.GardenRole + "=" + constants.GardenRoleDefaultDomain

// Domain is one of the garden's default domains.
type Domain struct {
	Name     string
	Provider string // type of the DNS provider
	Secret   string // name of the Secret in the garden namespace
	priority int
}

// Read returns the domains as they are now, the preferred one first.
func Read(ctx context.Context, garden kubernetes.Interface) ([]Domain, error) {
	list, err := garden.CoreV1().Secrets(constants.GardenNamespace).List(ctx, metav1.ListOptions{LabelSelector: Selector})
	if err != nil {
		return nil, fmt.Errorf("read default domains: %w", err)
	}
	secrets := make([]*corev1.Secret, 0, len(list.Items))
	for i := range list.Items {
		secrets = append(secrets, &list.Items[i])
	}
	return Of(secrets), nil
}

// Of returns the domains of secrets, the preferred one first.
func Of(secrets []*corev1.Secret) []Domain {
	var domains []Domain
	for _, secret := range secrets {
		priority, _ := strconv.Atoi(secret.Annotations[constants.DNSDefaultDomainPriority]) // 0 if there is none
		if name := secret.Annotations[constants.DNSDomain]; name != "" {
			domains = append(domains, Domain{Name: name, Provider: secret.Annotations[constants.DNSProvider], Secret: secret.Name, priority: priority})
		}
	}
	slices.SortFunc(domains, func(a, b Domain) int {
		return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(a.Name, b.Name))
	})
	return domains
}
