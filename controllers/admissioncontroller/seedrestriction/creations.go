package seedrestriction

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/graph"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/seedidentity"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// creation checks a new object. It returns why it is refused; empty if it is not.
type creation func(ctx context.Context, r request, object client.Object) (string, error)

// creations are the checks by kind.
func creations() map[schema.GroupKind]creation {
	core := func(kind string) schema.GroupKind {
		return schema.GroupKind{Group: gardencorev1beta1.GroupName, Kind: kind}
	}
	return map[schema.GroupKind]creation{
		{Kind: "Namespace"}:                           named(func(request) string { return constants.GardenerSeedLeaseNamespace }),
		{Kind: "Secret"}:                              newSecret,
		{Kind: "ConfigMap"}:                           artefacts(constants.ShootProjectConfigMapSuffixCACluster, constants.ShootProjectConfigMapSuffixCAKubelet),
		core("InternalSecret"):                        artefacts(constants.ShootProjectSecretSuffixCAClient),
		core("ShootState"):                            newShootState,
		core("Seed"):                                  named(func(r request) string { return r.seed }),
		core("BackupBucket"):                          newBucket,
		core("BackupEntry"):                           newEntry,
		{Group: "", Kind: "Event"}:                    newEvent,
		{Group: "events.k8s.io", Kind: "Event"}:       newEvent,
		{Group: "coordination.k8s.io", Kind: "Lease"}: named(func(r request) string { return r.seed }),
		{Group: "certificates.k8s.io", Kind: "CertificateSigningRequest"}: newRequest,
	}
}

// named allows one name.
func named(of func(request) string) creation {
	return func(_ context.Context, r request, object client.Object) (string, error) {
		if want := of(r); object.GetName() != want {
			return fmt.Sprintf("may create a %s with the name %q only", r.Kind.Kind, want), nil
		}
		return "", nil
	}
}

// artefacts allows objects named <shoot>.<suffix> beside shoots of the seed.
func artefacts(suffixes ...string) creation {
	return func(ctx context.Context, r request, object client.Object) (string, error) {
		shoot, suffix, _ := strings.Cut(object.GetName(), ".")
		if !slices.Contains(suffixes, suffix) {
			return fmt.Sprintf("may not create the %s %q: it is not named after a shoot", r.Kind.Kind, object.GetName()), nil
		}
		return r.besideShoot(ctx, object, shoot), nil
	}
}

func (r request) besideShoot(ctx context.Context, object client.Object, shoot string) string {
	if r.belongs(ctx, graph.Vertex{Kind: graph.Shoot, Namespace: object.GetNamespace(), Name: shoot}) {
		return ""
	}
	return fmt.Sprintf("may not create the %s %q: shoot %q in namespace %q is not on the seed", r.Kind.Kind, object.GetName(), shoot, object.GetNamespace())
}

// newSecret allows secrets beside shoots, and the generated credentials of the seed's bucket. They have no type by which the
// garden would put tokens into them or take tokens from them.
func newSecret(ctx context.Context, r request, object client.Object) (string, error) {
	secret, ok := object.(*corev1.Secret)
	if !ok {
		return "", fmt.Errorf("expected a Secret, got a %T", object)
	}
	if secret.Type == corev1.SecretTypeBootstrapToken {
		return "", nil // bootstrapToken looks at it
	}
	if secret.Type != "" && secret.Type != corev1.SecretTypeOpaque {
		return fmt.Sprintf("may not create a Secret of type %q", secret.Type), nil
	}
	if bucket, found := strings.CutPrefix(secret.Name, constants.SecretPrefixGeneratedBackupBucket); found && secret.Namespace == constants.GardenNamespace {
		if r.belongs(ctx, graph.Vertex{Kind: graph.BackupBucket, Name: bucket}) {
			return "", nil
		}
		return fmt.Sprintf("may not create the Secret %q: the bucket is not that of the seed", secret.Name), nil
	}
	return artefacts(
		constants.ShootProjectSecretSuffixKubeconfig, constants.ShootProjectSecretSuffixCACluster, constants.ShootProjectSecretSuffixSSHKeypair,
		constants.ShootProjectSecretSuffixOldSSHKeypair, constants.ShootProjectSecretSuffixMonitoring)(ctx, r, object)
}

func newShootState(ctx context.Context, r request, object client.Object) (string, error) {
	return r.besideShoot(ctx, object, object.GetName()), nil
}

// newBucket allows the bucket of the seed, which is named by the UID of the Seed.
func newBucket(ctx context.Context, r request, object client.Object) (string, error) {
	bucket, ok := object.(*gardencorev1beta1.BackupBucket)
	if !ok {
		return "", fmt.Errorf("expected a BackupBucket, got a %T", object)
	}
	if ptr.Deref(bucket.Spec.SeedName, "") != r.seed || !r.belongs(ctx, graph.Vertex{Kind: graph.BackupBucket, Name: bucket.Name}) {
		return "may create no other BackupBucket than the one of the seed, which has the UID of the Seed as its name", nil
	}
	return "", nil
}

// newEntry allows entries of shoots that belong to the seed. So a gardenlet neither gets anything from a project whose shoots are on other
// seeds, nor takes the name of the entry that the gardenlet of another seed is about to make.
func newEntry(ctx context.Context, r request, object client.Object) (string, error) {
	entry, ok := object.(*gardencorev1beta1.BackupEntry)
	if !ok {
		return "", fmt.Errorf("expected a BackupEntry, got a %T", object)
	}
	if ptr.Deref(entry.Spec.SeedName, "") != r.seed {
		return "may create a BackupEntry with its seed as spec.seedName only", nil
	}
	for _, owner := range entry.OwnerReferences {
		if owner.Kind == "Shoot" && namesEntry(owner.Name, entry.Name) {
			return r.besideShoot(ctx, object, owner.Name), nil
		}
	}
	return "may create BackupEntries of shoots only, which have the Shoot as owner and <technical ID>--<UID> as name", nil
}

// namesEntry reports whether a BackupEntry is named after a shoot of its namespace. A technical ID ends with the name of the shoot, which
// contains no "--".
func namesEntry(shoot, entry string) bool {
	at := strings.LastIndex(entry, "--")
	return at >= 0 && strings.HasSuffix(entry[:at], "--"+shoot)
}

// newRequest allows requests for the gardenlet's own certificate.
func newRequest(_ context.Context, r request, object client.Object) (string, error) {
	csr, ok := object.(*certificatesv1.CertificateSigningRequest)
	if !ok {
		return "", fmt.Errorf("expected a CertificateSigningRequest, got a %T", object)
	}
	const refused = "may only ask for a client certificate of its own user"
	block, _ := pem.Decode(csr.Spec.Request)
	if block == nil || csr.Spec.SignerName != certificatesv1.KubeAPIServerClientSignerName {
		return refused, nil
	}
	parsed, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil || parsed.Subject.CommonName != r.UserInfo.Username || !slices.Equal(parsed.Subject.Organization, []string{seedidentity.Group}) {
		return refused, nil // a request that cannot be read is answered with what is allowed
	}
	return "", nil
}

// event also checks changes of events, because their names do not say which object they are about.
func (r request) event(ctx context.Context, object, old client.Object) (string, error) {
	for _, one := range []client.Object{object, old} {
		if one == nil || r.Operation == admissionv1.Create {
			continue
		}
		if reason, err := newEvent(ctx, r, one); err != nil || reason != "" {
			return reason, err
		}
	}
	return "", nil
}

// newEvent allows events about objects that the seed needs.
func newEvent(ctx context.Context, r request, object client.Object) (string, error) {
	var about corev1.ObjectReference
	switch event := object.(type) {
	case *corev1.Event:
		about = event.InvolvedObject
	case *eventsv1.Event:
		about = event.Regarding
	}
	v := graph.Vertex{Kind: graph.Kind(about.Kind), Namespace: about.Namespace, Name: about.Name}
	if r.leads(ctx, v) {
		return "", nil
	}
	return fmt.Sprintf("may not write events about %s: nothing connects it with the seed", v), nil
}
