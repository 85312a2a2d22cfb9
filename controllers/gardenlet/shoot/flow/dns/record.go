package dns

import (
	"context"
	"net"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// Publish publishes a host name in a domain with addresses and waits until that is done.
func (r Records) Publish(ctx context.Context, name string, domain *operation.Domain, host string, addresses []string) error {
	return r.publish(ctx, name, domain, host, recordType(addresses), addresses)
}

func (r Records) publish(ctx context.Context, name string, domain *operation.Domain, host string, kind extensionsv1alpha1.DNSRecordType, values []string) error {
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name: "dnsrecord-" + r.Shoot.Name + "-" + name, Namespace: r.Space.Name,
			Labels: map[string]string{constants.GardenRole: constants.GardenRoleControlPlane},
		},
		Type: corev1.SecretTypeOpaque, Data: domain.Credentials,
	}
	if _, err := r.Space.Apply(ctx, secret); err != nil {
		return err
	}
	object := r.record(name)
	object.Spec = extensionsv1alpha1.DNSRecordSpec{
		DefaultSpec: extensionsv1alpha1.DefaultSpec{Type: domain.Provider},
		SecretRef:   corev1.SecretReference{Name: secret.Name, Namespace: r.Space.Name},
		Name:        host,
		RecordType:  kind,
		Values:      values,
		TTL:         ptr.To(r.TTL),
	}
	if domain.Zone != "" {
		object.Spec.Zone = ptr.To(domain.Zone)
	}
	return r.request(ctx, object)
}

// request asks the extension for a record, and waits until that is done.
func (r Records) request(ctx context.Context, object *extensionsv1alpha1.DNSRecord) error {
	requests, err := r.Space.Extensions.Request(ctx, object)
	if err != nil {
		return err
	}
	return r.Space.Extensions.Await(ctx, object, requests)
}

func (r Records) record(name string) *extensionsv1alpha1.DNSRecord {
	return &extensionsv1alpha1.DNSRecord{ObjectMeta: metav1.ObjectMeta{Name: r.Shoot.Name + "-" + name, Namespace: r.Space.Name}}
}

// Destroy removes a name and waits until that is done.
func (r Records) Destroy(ctx context.Context, name string) error {
	object := r.record(name)
	if err := r.Space.Extensions.Delete(ctx, object); err != nil {
		return err
	}
	if err := r.Space.Extensions.WaitGone(ctx, object); err != nil {
		return err
	}
	return r.Space.Delete(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "dnsrecord-" + object.Name, Namespace: r.Space.Name}})
}

// recordType depends on the values: all addresses, or a host name.
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
