package secretsmanager

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sort"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Generate returns the secret of the configuration. It creates the secret if it does not exist, has been rotated, or
// was signed by a CA that has been rotated. The first one may take the data of a labelled Secret, see adopted. It may be called again, even after the process was killed in between.
func (m *Manager) Generate(ctx context.Context, config Config, opts ...Option) (*corev1.Secret, error) {
	options := buildOptions(opts)
	e := m.entry(config.name())
	e.lock.Lock()
	defer e.lock.Unlock()

	ca, err := m.signer(config, options)
	if err != nil {
		return nil, err
	}
	stored := m.stored(config.name())
	rotated := m.rotatedAt(config, stored, options)
	if err := m.takeCurrent(ctx, e, config, options, stored, ca, rotated); err != nil {
		return nil, err
	}
	if options.rotation == KeepOld && (options.ignoresOld == nil || !options.ignoresOld(e.current)) {
		m.takeOld(e, stored)
	}
	return e.current, m.takeBundle(ctx, e, config, options)
}

// signer returns the data of the CA that must sign, nil for a configuration that needs no signature.
func (m *Manager) signer(config Config, options *options) (map[string][]byte, error) {
	if options.signer == "" {
		return nil, nil
	}
	ca, old := m.Current(options.signer), m.Old(options.signer)
	if ca == nil {
		return nil, fmt.Errorf("secret %q is to be signed by CA %q, which has not been generated", config.name(), options.signer)
	}
	cert, _ := config.(Certificate)
	byUsage := options.signerUse == signerByUsage && cert.Usage == Server
	if old != nil && (byUsage || options.signerUse == signerOld) {
		ca = old
	}
	return ca.Data, nil
}

// rotatedAt returns the time of the last rotation: the requested one, the recorded one, or now if renewal is due. What was
// made while the clock of the machine was ahead is due: nobody accepts it yet.
func (m *Manager) rotatedAt(config Config, stored []*corev1.Secret, options *options) time.Time {
	rotated := m.Rotations[config.name()]
	if len(stored) == 0 {
		return rotated
	}
	newest := stored[0]
	now := m.Clock.Now()
	if recorded := initiated(newest, now); recorded.After(rotated) {
		rotated = recorded
	}
	if startsLater(newest, now) || options.renewalDue(unixLabel(newest, LabelIssuedAt), unixLabel(newest, LabelValidUntil), now) {
		rotated = now
	}
	return rotated
}

func (m *Manager) takeCurrent(ctx context.Context, e *entry, config Config, options *options, stored []*corev1.Secret, ca map[string][]byte, rotated time.Time) error {
	sum, err := checksum(config)
	if err != nil {
		return err
	}
	labels := m.labels(config, options, sum, ca, rotated)
	if existing := madeFor(stored, labels); existing != nil {
		e.current = existing
		m.use(existing)
		return m.markPersisted(ctx, existing, options)
	}
	data, source, err := m.adopted(ctx, config, rotated)
	if err != nil {
		return err
	}
	if data == nil {
		data, err = config.generate(input{now: m.Clock.Now(), ca: ca})
	}
	if err != nil {
		return err
	}
	if issued, until, ok := validity(data, options.renewCA); ok {
		labels[LabelIssuedAt], labels[LabelValidUntil] = unixText(issued), unixText(until)
	}
	if ca != nil {
		sum = digest([]byte(sum), ca[KeyCACert])
	}
	name := objectName(config, options, sum, rotated, data)
	if name == source {
		return fmt.Errorf("secret %q in namespace %q has the label %s=%s, and the name of the secret that is to get its data: create it under another name",
			source, m.Namespace, LabelUseDataForName, config.name())
	}
	e.current, err = m.create(ctx, metav1.ObjectMeta{Name: name, Namespace: m.Namespace, Labels: labels}, data)
	return err
}

// markPersisted marks a secret of a version that did not.
func (m *Manager) markPersisted(ctx context.Context, secret *corev1.Secret, options *options) error {
	if !options.persist || secret.Labels[LabelPersist] == "true" {
		return nil
	}
	before := secret.DeepCopy()
	secret.Labels[LabelPersist] = "true"
	if err := m.Writer.Patch(ctx, secret, client.MergeFrom(before)); err != nil {
		return fmt.Errorf("mark secret %q: %w", secret.Name, err)
	}
	return nil
}

// labels returns the labels of the secret of a configuration.
func (m *Manager) labels(config Config, options *options, sum string, ca map[string][]byte, rotated time.Time) map[string]string {
	labels := map[string]string{}
	maps.Copy(labels, options.labels)
	maps.Copy(labels, map[string]string{
		LabelManagedBy:              ManagedBy,
		LabelManagerIdentity:        m.Identity,
		LabelName:                   config.name(),
		LabelChecksumConfig:         sum[:8],
		LabelLastRotationInitiation: unixText(rotated),
	})
	if options.persist {
		labels[LabelPersist] = "true"
	}
	if ca != nil {
		labels[LabelChecksumSigningCA] = digest(ca[KeyCACert])[:8]
	}
	return labels
}

// madeFor returns the newest secret for the configuration, CA and rotation in the labels.
func madeFor(stored []*corev1.Secret, labels map[string]string) *corev1.Secret {
	for _, secret := range stored {
		same := true
		for _, label := range []string{LabelChecksumConfig, LabelChecksumSigningCA, LabelLastRotationInitiation} {
			same = same && secret.Labels[label] == labels[label]
		}
		if same {
			return secret
		}
	}
	return nil
}

// takeOld keeps the newest secret that is not the current one.
func (m *Manager) takeOld(e *entry, stored []*corev1.Secret) {
	e.old = nil
	for _, secret := range stored {
		if secret.Name != e.current.Name {
			e.old = secret
			m.use(secret)
			return
		}
	}
}

func (m *Manager) takeBundle(ctx context.Context, e *entry, config Config, options *options) error {
	var old map[string][]byte
	if e.old != nil {
		old = e.old.Data
	}
	data := config.bundle(e.current.Data, old)
	if data == nil {
		return nil
	}
	sum := digest(data[KeyBundle])
	meta := metav1.ObjectMeta{
		Name:      fmt.Sprintf("%s-bundle-%s", config.name(), sum[:8]),
		Namespace: m.Namespace,
		Labels: map[string]string{
			LabelManagedBy:       ManagedBy,
			LabelManagerIdentity: m.Identity,
			LabelName:            config.name() + "-bundle",
			LabelBundleFor:       config.name(),
			LabelChecksumConfig:  sum[:8],
		},
	}
	if existing := m.lookup(meta.Name); existing != nil {
		e.bundle = existing
		m.use(existing)
		return nil
	}
	var err error
	e.bundle, err = m.create(ctx, meta, data)
	return err
}

// createTimeout bounds the creation of a secret.
const createTimeout = 30 * time.Second

// create writes the secret. If it already exists, another run created it since the list was made, and that secret is
// used. On a busy machine an RSA key takes longer to make than the whole step may take. It is written nevertheless, since the next attempt would
// take as long.
func (m *Manager) create(ctx context.Context, meta metav1.ObjectMeta, data map[string][]byte) (*corev1.Secret, error) {
	if !errors.Is(ctx.Err(), context.Canceled) {
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), createTimeout)
		defer cancel()
		ctx = late
	}
	secret := &corev1.Secret{ObjectMeta: meta, Type: corev1.SecretTypeOpaque, Data: data, Immutable: ptr.To(true)}
	err := m.Writer.Create(ctx, secret)
	if apierrors.IsAlreadyExists(err) {
		secret = &corev1.Secret{}
		err = m.Reader.Get(ctx, client.ObjectKey{Namespace: meta.Namespace, Name: meta.Name}, secret)
	}
	if err != nil {
		return nil, fmt.Errorf("create secret %q: %w", meta.Name, err)
	}
	m.use(secret)
	return secret, nil
}

// objectName returns the plain name of the configuration for CAs, which people look up by name. A name must never be
// reused with different content: nodes cache an immutable secret as long as a pod refers to it, even after it was
// deleted. Secrets that keep an old version change only by rotations, so the time of the rotation is enough, and two
// concurrent runs compute the same name. All other secrets also change with their configuration, which may change back,
// so their name has a checksum of the content.
func objectName(config Config, options *options, sum string, rotated time.Time, data map[string][]byte) string {
	name := config.name()
	if cert, ok := config.(Certificate); !ok || cert.Usage != CA {
		name += "-" + sum[:8]
		if options.rotation == InPlace {
			return name + "-" + digestOf(data)[:5]
		}
	}
	if !rotated.IsZero() {
		name += "-" + digest([]byte(unixText(rotated)))[:5]
	}
	return name
}

// newestFirst sorts by the time of the last rotation.
func newestFirst(secrets []*corev1.Secret, now time.Time) []*corev1.Secret {
	sort.Slice(secrets, func(i, j int) bool {
		a, b := initiated(secrets[i], now), initiated(secrets[j], now)
		if !a.Equal(b) {
			return a.After(b)
		}
		if !secrets[i].CreationTimestamp.Equal(&secrets[j].CreationTimestamp) {
			return secrets[j].CreationTimestamp.Before(&secrets[i].CreationTimestamp)
		}
		return secrets[i].Name < secrets[j].Name
	})
	return secrets
}

func unixText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return strconv.FormatInt(t.Unix(), 10)
}
