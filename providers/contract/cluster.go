package contract

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// ignoreAnnotation on a Shoot asks all controllers to ignore it.
const ignoreAnnotation = "shoot.gardener.cloud/ignore"

// AnnotationTaken on a Cluster says, if "true", that another seed has taken its Shoot. Then the documents of the Cluster are out of date.
const AnnotationTaken = "shoot.gardener.cloud/taken"

// Cluster is a Cluster object with its documents decoded.
type Cluster struct {
	// Name is the Shoot's namespace in the seed and its technical ID.
	Name string
	// CloudProfile, Seed and Shoot are copies; nil when the Cluster object lacks them.
	CloudProfile *gardencorev1beta1.CloudProfile
	Seed         *gardencorev1beta1.Seed
	Shoot        *gardencorev1beta1.Shoot
	// Taken says that another seed has taken the Shoot. See AnnotationTaken.
	Taken bool
	// TokenKubeconfig is the Secret with a kubeconfig for the Shoot, whose token is in a file beside it; empty if there is none yet.
	TokenKubeconfig string
}

// GetCluster reads the Cluster object of a Shoot's namespace. It returns nil without an error if there is none. The
// reader should not be a cache: the Cluster is written right before the objects that need it.
func GetCluster(ctx context.Context, reader client.Reader, namespace string) (*Cluster, error) {
	if namespace == "" {
		return nil, nil
	}
	obj := &extensionsv1alpha1.Cluster{}
	if err := reader.Get(ctx, client.ObjectKey{Name: namespace}, obj); apierrors.IsNotFound(err) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("read cluster %q: %w", namespace, err)
	}
	return DecodeCluster(obj)
}

// DecodeCluster decodes the documents of a Cluster object.
func DecodeCluster(obj *extensionsv1alpha1.Cluster) (*Cluster, error) {
	cluster := &Cluster{
		Name: obj.Name, Taken: obj.Annotations[AnnotationTaken] == "true",
		TokenKubeconfig: obj.Annotations[constants.AnnotationGenericTokenKubeconfigSecretName],
	}
	var err error
	if cluster.CloudProfile, err = decode[gardencorev1beta1.CloudProfile](obj.Spec.CloudProfile); err != nil {
		return nil, fmt.Errorf("decode cloud profile of cluster %q: %w", obj.Name, err)
	}
	if cluster.Seed, err = decode[gardencorev1beta1.Seed](obj.Spec.Seed); err != nil {
		return nil, fmt.Errorf("decode seed of cluster %q: %w", obj.Name, err)
	}
	if cluster.Shoot, err = decode[gardencorev1beta1.Shoot](obj.Spec.Shoot); err != nil {
		return nil, fmt.Errorf("decode shoot of cluster %q: %w", obj.Name, err)
	}
	return cluster, nil
}

// OnHold returns the reason why the Shoot must not be reconciled at present. It is empty if reconciliation may continue, or if the
// cluster is nil.
func (c *Cluster) OnHold() string {
	switch {
	case c == nil || c.Shoot == nil:
		return ""
	case c.Shoot.Annotations[ignoreAnnotation] == "true":
		return "the shoot is annotated to be ignored"
	case c.Shoot.Status.LastOperation != nil && c.Shoot.Status.LastOperation.State == gardencorev1beta1.LastOperationStateFailed:
		return "the shoot's last operation has failed for good"
	}
	return ""
}

// Leaves reports whether the Shoot leaves the seed: it is being migrated, or another seed has taken it. Then nothing may be written that the
// gardenlet has removed. It is known before the gardenlet removes anything, and before it asks extensions to migrate their objects.
func (c *Cluster) Leaves() bool {
	if c == nil {
		return false
	}
	migrates := c.Shoot != nil && c.Shoot.Status.LastOperation != nil && c.Shoot.Status.LastOperation.Type == gardencorev1beta1.LastOperationTypeMigrate
	return c.Taken || migrates
}

// Hibernated reports whether the Shoot should have no machines. A nil cluster is awake.
func (c *Cluster) Hibernated() bool {
	if c == nil || c.Shoot == nil || c.Shoot.Spec.Hibernation == nil {
		return false
	}
	return c.Shoot.Spec.Hibernation.Enabled != nil && *c.Shoot.Spec.Hibernation.Enabled
}

func decode[T any](raw runtime.RawExtension) (*T, error) {
	if len(raw.Raw) == 0 {
		return nil, nil
	}
	obj := new(T)
	if err := json.Unmarshal(raw.Raw, obj); err != nil {
		return nil, err
	}
	return obj, nil
}
