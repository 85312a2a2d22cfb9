package secretsmanager

import (
	"context"
	"crypto"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"sort"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/certificate"
)

// LabelUseDataForName of an existing Secret names the configuration that takes its data instead of generating some.
const LabelUseDataForName = "secrets-manager-use-data-for-name"

// adoptable are the configurations whose data may come from existing Secrets: the authorities and keys without which the data of a cluster that
// moves here cannot be read, or its users cannot get in.
var adoptable = []string{
	"ca", "ca-client", "ca-front-proxy", "service-account-key", "kube-apiserver-etcd-encryption-key", "gardener-apiserver-etcd-encryption-key",
}

// adopter is a configuration that can take existing data.
type adopter interface {
	// adopt returns what the configuration keeps of existing data, or why it cannot use them.
	adopt(existing map[string][]byte, now time.Time) (map[string][]byte, error)
}

// adopted returns the data of the Secret that is labelled for the configuration, and the name of that Secret; nil if there is none. Only the first
// secret of a configuration takes them: whatever follows is a rotation.
func (m *Manager) adopted(ctx context.Context, config Config, rotated time.Time) (map[string][]byte, string, error) {
	kind, ok := config.(adopter)
	if !ok || !slices.Contains(adoptable, config.name()) || len(m.stored(config.name())) > 0 || !rotated.IsZero() {
		return nil, "", nil
	}
	sources, err := m.sources(ctx)
	if err != nil {
		return nil, "", err
	}
	switch found := sources[config.name()]; len(found) {
	case 0:
		return nil, "", nil
	case 1:
		data, err := kind.adopt(found[0].Data, m.Clock.Now())
		if err != nil {
			return nil, "", fmt.Errorf("secret %q in namespace %q has the label %s=%s, but its data cannot be used: %w; correct them, or remove the label so that new data are generated",
				found[0].Name, m.Namespace, LabelUseDataForName, config.name(), err)
		}
		return data, found[0].Name, nil
	default:
		var names []string
		for _, secret := range found {
			names = append(names, secret.Name)
		}
		sort.Strings(names)
		return nil, "", fmt.Errorf("secrets %q in namespace %q all have the label %s=%s: keep it on the one whose data are to be used", names, m.Namespace, LabelUseDataForName, config.name())
	}
}

// sources are the labelled Secrets of the namespace by the configuration that they name. They are listed once.
func (m *Manager) sources(ctx context.Context) (map[string][]corev1.Secret, error) {
	m.sourcesLock.Lock()
	defer m.sourcesLock.Unlock()
	if m.labelled != nil {
		return m.labelled, nil
	}
	list := &corev1.SecretList{}
	if err := m.Reader.List(ctx, list, client.InNamespace(m.Namespace), client.HasLabels{LabelUseDataForName}); err != nil {
		return nil, fmt.Errorf("list secrets with the label %s in namespace %q: %w", LabelUseDataForName, m.Namespace, err)
	}
	found := map[string][]corev1.Secret{}
	for _, secret := range list.Items {
		if secret.DeletionTimestamp == nil {
			name := secret.Labels[LabelUseDataForName]
			found[name] = append(found[name], secret)
		}
	}
	m.labelled = found
	return found, nil
}

// adopt accepts one authority with its key that is valid now.
func (c Certificate) adopt(existing map[string][]byte, now time.Time) (map[string][]byte, error) {
	if c.Usage != CA {
		return nil, errors.New("only authorities can be taken over, not certificates")
	}
	for _, key := range []string{KeyCACert, KeyCAKey} {
		if len(existing[key]) == 0 {
			return nil, fmt.Errorf("key %q is missing or empty", key)
		}
	}
	authority, err := certificate.ParseAuthority(existing[KeyCACert], existing[KeyCAKey])
	if err != nil {
		return nil, fmt.Errorf("keys %q and %q: %w", KeyCACert, KeyCAKey, err)
	}
	cert := authority.Cert
	switch {
	case certificates(existing[KeyCACert]) != 1:
		return nil, fmt.Errorf("key %q holds several certificates, but an authority is one", KeyCACert)
	case !cert.BasicConstraintsValid || !cert.IsCA:
		return nil, fmt.Errorf("the certificate of %q is not that of an authority", cert.Subject)
	case !samePublic(cert.PublicKey, authority.Key.Public()):
		return nil, fmt.Errorf("key %q does not belong to the certificate", KeyCAKey)
	case now.Before(cert.NotBefore):
		return nil, fmt.Errorf("the authority is not valid before %s", cert.NotBefore.UTC().Format(time.RFC3339))
	case now.After(cert.NotAfter):
		return nil, fmt.Errorf("the authority has expired at %s", cert.NotAfter.UTC().Format(time.RFC3339))
	}
	return map[string][]byte{KeyCACert: existing[KeyCACert], KeyCAKey: existing[KeyCAKey]}, nil
}

// certificates counts the blocks of a PEM text that hold certificates.
func certificates(text []byte) (count int) {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type == "CERTIFICATE" {
			count++
		}
	}
	return count
}

func samePublic(one, other crypto.PublicKey) bool {
	public, ok := one.(interface{ Equal(crypto.PublicKey) bool })
	return ok && public.Equal(other)
}

// adopt accepts an EC or RSA key. The public half is made again.
func (k Key) adopt(existing map[string][]byte, _ time.Time) (map[string][]byte, error) {
	private := existing[KeyRSAPrivate]
	if k.SSH || len(private) == 0 {
		return nil, fmt.Errorf("key %q is missing or empty", KeyRSAPrivate)
	}
	signer, err := certificate.ParseKey(private)
	if err != nil {
		return nil, fmt.Errorf("key %q: %w", KeyRSAPrivate, err)
	}
	public, err := encodePublic(signer.Public())
	if err != nil {
		return nil, err
	}
	return map[string][]byte{KeyRSAPrivate: private, KeyRSAPublic: public}, nil
}

// keyEncryptionEncoding says how the secret of an encryption key is encoded: "none" means raw bytes, anything else base64.
const keyEncryptionEncoding = "encoding"

// adopt accepts a named key of the length that the configuration asks for.
func (e EncryptionKey) adopt(existing map[string][]byte, _ time.Time) (map[string][]byte, error) {
	name, secret := existing[KeyEncryptionKey], existing[KeyEncryptionData]
	if len(name) == 0 {
		return nil, fmt.Errorf("key %q, the name of the encryption key, is missing or empty", KeyEncryptionKey)
	}
	raw := secret
	if string(existing[keyEncryptionEncoding]) != "none" {
		var err error
		if raw, err = base64.StdEncoding.DecodeString(string(secret)); err != nil {
			return nil, fmt.Errorf("key %q is not base64", KeyEncryptionData) // the error of the decoder tells of the secret
		}
	}
	if len(raw) != e.Bytes {
		return nil, fmt.Errorf("key %q has %d bytes, an encryption key has %d", KeyEncryptionData, len(raw), e.Bytes)
	}
	return map[string][]byte{KeyEncryptionKey: name, KeyEncryptionData: []byte(base64.StdEncoding.EncodeToString(raw))}, nil
}
