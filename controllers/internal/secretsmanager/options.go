package secretsmanager

import (
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Rotation says what happens to the old secret when it is replaced.
type Rotation string

const (
	// InPlace drops the old secret at once.
	InPlace Rotation = "inPlace"
	// KeepOld keeps the old secret, and trust in it, until IgnoreOld is given.
	KeepOld Rotation = "keepOld"
)

// Option changes how a secret is generated.
type Option func(*options)

type options struct {
	signer    string
	signerUse signerUse
	rotation  Rotation
	// ignoresOld decides by the current secret whether the old one is dropped; nil keeps it.
	ignoresOld func(current *corev1.Secret) bool
	persist    bool
	renewAt    int  // per cent of the validity
	renewCA    bool // authorities, too
	labels     map[string]string
}

type signerUse int

const (
	signerByUsage signerUse = iota
	signerCurrent
	signerOld
)

// SignedBy names the CA that signs. During the rotation of a CA, the new CA signs the certificates of clients, since
// all servers already trust it. The old CA signs the certificates of servers, since all clients still trust it.
func SignedBy(ca string) Option { return func(o *options) { o.signer = ca } }

// SignedByCurrent names the CA that signs and always uses its newest key.
func SignedByCurrent(ca string) Option {
	return func(o *options) { o.signer, o.signerUse = ca, signerCurrent }
}

// SignedByOld names the CA that signs and uses its old key as long as there is one.
func SignedByOld(ca string) Option {
	return func(o *options) { o.signer, o.signerUse = ca, signerOld }
}

// Rotate chooses the strategy. The default is InPlace.
func Rotate(strategy Rotation) Option { return func(o *options) { o.rotation = strategy } }

// IgnoreOld drops the old secret. It is the second half of a rotation.
func IgnoreOld() Option { return IgnoreOldIf(func(*corev1.Secret) bool { return true }) }

// IgnoreOldIf drops the old secret if the current one, as it was stored before this run, allows it.
func IgnoreOldIf(allowed func(current *corev1.Secret) bool) Option {
	return func(o *options) { o.ignoresOld = allowed }
}

// Persist marks the secret as one that must survive the loss of the seed.
func Persist() Option { return func(o *options) { o.persist = true } }

// RenewAfter renews a certificate after this share of its validity, in per cent. The default is 80.
func RenewAfter(percent int) Option { return func(o *options) { o.renewAt = percent } }

// RenewAuthority renews an authority like a certificate. Otherwise only a rotation replaces it.
func RenewAuthority() Option { return func(o *options) { o.renewCA = true } }

// WithLabels adds labels to the object.
func WithLabels(labels map[string]string) Option { return func(o *options) { o.labels = labels } }

func buildOptions(opts []Option) *options {
	out := &options{rotation: InPlace, renewAt: 80}
	for _, opt := range opts {
		opt(out)
	}
	return out
}

// renewalDue reports whether the share of the validity has passed. Secrets without a noted validity are never renewed.
func (o *options) renewalDue(issued, until, now time.Time) bool {
	if issued.IsZero() || until.IsZero() {
		return false
	}
	life := until.Sub(issued)
	return !now.Before(issued.Add(life / 100 * time.Duration(o.renewAt)))
}
