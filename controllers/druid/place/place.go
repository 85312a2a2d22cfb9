// Package place decides which backups belong to a namespace. The pods that druid makes have the buckets of all shoots of a seed, so
// whoever may write an Etcd or a task in one namespace must not name the backups of another one there.
package place

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/location"
)

// ErrRefused means that a store cannot be used as it is specified. A retry does not help until something is changed.
var ErrRefused = errors.New("cannot be used")

// Use is what the pods do with a store.
type Use int

const (
	// Write is for the bucket of the namespace's BackupEntry.
	Write Use = iota
	// Read is also for the bucket of the seed that a control plane comes from.
	Read
)

// idSeparator is between the technical ID of a shoot, which is the name of its namespace, and its UID. Neither of them ends or begins with
// a part of it, and a UID does not contain it.
const idSeparator = "--"

// Check refuses a store that leads out of its bucket, one with the backups of another namespace, and a bucket that has none of this
// namespace. The reader reads namespaces and extension objects of the seed.
func Check(ctx context.Context, reader client.Reader, namespace string, at *druidv1alpha1.StoreSpec, use Use) error {
	bucket := ptr.Deref(at.Container, "")
	if err := location.Check(bucket, at.Prefix); err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	entry, belongs := entryOf(at.Prefix, namespace)
	if !belongs {
		return fmt.Errorf("%w: prefix %q has no backups of namespace %q, whose prefixes are %q, the UID of the shoot, %q and a name",
			ErrRefused, at.Prefix, namespace, namespace+idSeparator, "/")
	}
	uid, err := shootUID(ctx, reader, namespace)
	if err != nil {
		return err
	}
	if uid != "" && entry != namespace+idSeparator+uid {
		return fmt.Errorf("%w: prefix %q has backups of a former shoot of namespace %q, those of its shoot are in %q",
			ErrRefused, at.Prefix, namespace, namespace+idSeparator+uid)
	}
	buckets, err := bucketsOf(ctx, reader, entry, use)
	if err != nil {
		return err
	}
	if len(buckets) > 0 && !slices.Contains(buckets, bucket) {
		return fmt.Errorf("%w: container %q has no backups of namespace %q, whose BackupEntry has the bucket %s",
			ErrRefused, bucket, namespace, strings.Join(buckets, " or "))
	}
	return nil
}

// entryOf returns the name of the BackupEntry that a prefix begins with, and whether it is one of the namespace. A prefix is the name
// of a BackupEntry, and a name in there.
func entryOf(prefix, namespace string) (entry string, belongs bool) {
	entry, name, _ := strings.Cut(prefix, "/")
	id, found := strings.CutPrefix(entry, namespace+idSeparator)
	return entry, found && id != "" && name != "" && !strings.Contains(id, idSeparator)
}

// shootUID is the identity of the shoot in a namespace; empty if none is noted. A later shoot of the same name has another one.
func shootUID(ctx context.Context, reader client.Reader, namespace string) (string, error) {
	found := &metav1.PartialObjectMetadata{}
	found.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
	if err := reader.Get(ctx, client.ObjectKey{Name: namespace}, found); err != nil {
		return "", fmt.Errorf("read namespace %q: %w", namespace, err)
	}
	return found.Annotations[constants.ShootUID], nil
}

// bucketsOf are the buckets in which a BackupEntry may have backups; none if the seed does not have the entry. Then the prefix alone
// decides, which no other shoot has.
func bucketsOf(ctx context.Context, reader client.Reader, entry string, use Use) ([]string, error) {
	names := []string{entry}
	if use == Read {
		names = append(names, constants.BackupSourcePrefix+entry)
	}
	var out []string
	for _, name := range names {
		found := &extensionsv1alpha1.BackupEntry{}
		err := reader.Get(ctx, client.ObjectKey{Name: name}, found)
		switch {
		case apierrors.IsNotFound(err), meta.IsNoMatchError(err): // clusters that are no seeds do not know the kind
		case err != nil:
			return nil, fmt.Errorf("read BackupEntry %q: %w", name, err)
		default:
			out = append(out, found.Spec.BucketName)
		}
	}
	return out, nil
}
