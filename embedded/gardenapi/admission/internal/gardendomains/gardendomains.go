// Package gardendomains reads the domains of the garden from their Secrets: the default domains of shoots, and the domains for
// their internal names.
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

// Domain is one of the garden's domains.
type Domain struct {
	Name     string
	Provider string // type of the DNS provider
	Secret   string // name of the Secret in the garden namespace
	priority int
}

// read returns the domains of a role as they are now, the preferred one first.
func read(ctx context.Context, garden kubernetes.Interface, role string) ([]Domain, error) {
	list, err := garden.CoreV1().Secrets(constants.GardenNamespace).List(ctx, metav1.ListOptions{LabelSelector: selector(role)})
	if err != nil {
		return nil, fmt.Errorf("read secrets of role %s: %w", role, err)
	}
	secrets := make([]*corev1.Secret, 0, len(list.Items))
	for i := range list.Items {
		secrets = append(secrets, &list.Items[i])
	}
	return Of(secrets), nil
}

// selector selects the Secrets of a role, which are in the garden namespace.
func selector(role string) string { return constants.GardenRole + "=" + role }

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
