package resourcereferencemanager

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/placement"
)

// seed refers to Secrets that only its gardenlet reads, which gets to read them by this reference.
func (l *lookup) seed(ctx context.Context, seed, old *core.Seed) (field.ErrorList, error) {
	if seed.DeletionTimestamp != nil {
		return nil, nil
	}
	errs, err := l.exist(ctx, ofSeed(seed), ofSeed(old))
	if err != nil || old == nil || shootDNS(seed) == shootDNS(old) {
		return errs, err
	}
	shoot, err := placement.ShootOn(ctx, l.Objects, seed.Name)
	if err != nil {
		return nil, err
	}
	if shoot != nil {
		errs = append(errs, field.Forbidden(field.NewPath("spec", "settings", "shootDNS", "enabled"),
			fmt.Sprintf("must not be changed as long as shoots use the seed, such as %s/%s", shoot.Namespace, shoot.Name)))
	}
	return errs, nil
}

func shootDNS(seed *core.Seed) bool {
	settings := seed.Spec.Settings
	return settings == nil || settings.ShootDNS == nil || settings.ShootDNS.Enabled
}

func ofSeed(seed *core.Seed) []reference {
	if seed == nil {
		return nil
	}
	spec, path := &seed.Spec, field.NewPath("spec")
	var out []reference
	secret := func(ref corev1.SecretReference, path *field.Path) {
		out = append(out, reference{secrets, ref.Namespace, ref.Name, path})
	}
	credentials := func(ref *corev1.ObjectReference, path *field.Path) {
		if ref == nil {
			return
		}
		if resource, known := referable[ref.APIVersion+"/"+ref.Kind]; known {
			out = append(out, reference{resource, ref.Namespace, ref.Name, path})
		}
	}
	if spec.SecretRef != nil {
		secret(*spec.SecretRef, path.Child("secretRef"))
	}
	if spec.Backup != nil {
		secret(spec.Backup.SecretRef, path.Child("backup", "secretRef"))
		credentials(spec.Backup.CredentialsRef, path.Child("backup", "credentialsRef"))
	}
	if provider := spec.DNS.Provider; provider != nil {
		secret(provider.SecretRef, path.Child("dns", "provider", "secretRef"))
		credentials(provider.CredentialsRef, path.Child("dns", "provider", "credentialsRef"))
	}
	if internal := spec.DNS.Internal; internal != nil {
		credentials(&internal.CredentialsRef, path.Child("dns", "internal", "credentialsRef"))
	}
	for i := range spec.DNS.Defaults {
		credentials(&spec.DNS.Defaults[i].CredentialsRef, path.Child("dns", "defaults").Index(i).Child("credentialsRef"))
	}
	return out
}

// checkBucketUnused keeps a bucket that entries are in.
func (p *Plugin) checkBucketUnused(ctx context.Context, bucket *core.BackupBucket) error {
	entry, err := initializer.First(ctx, p.Objects, core.Resource("backupentries"), "", func(entry *core.BackupEntry) bool {
		return entry.Spec.BucketName == bucket.Name
	})
	if err != nil {
		return apierrors.NewInternalError(fmt.Errorf("look for entries of bucket %q: %w", bucket.Name, err))
	}
	if entry == nil {
		return nil
	}
	return apierrors.NewForbidden(core.Resource("backupbuckets"), bucket.Name, fmt.Errorf("backup entry %s/%s is in it", entry.Namespace, entry.Name))
}
