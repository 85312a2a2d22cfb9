package seed

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/internal/runtimecluster"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/health"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/apis/crds"
)

const (
	// annotationChecksum of a definition is the checksum of the applied definition, so that the same definition is not
	// sent twice.
	annotationChecksum = "checksum/definition"
	// writers is how many definitions are sent at a time. The API server installs them one after the other anyway.
	writers = 8
	// establishTimeout limits the wait for all definitions together.
	establishTimeout = time.Minute
	// wakePeriod is the time between two changes that remind the API server of definitions that it has forgotten.
	wakePeriod = 3 * time.Second

	fieldOwner = runtimecluster.Gardenlet
)

// definitions of a seed by the step that deploys them.
var definitions = map[string]func() ([]*apiextensionsv1.CustomResourceDefinition, error){
	stepMachineCRDs:   crds.Machine,
	stepExtensionCRDs: crds.Extensions,
	stepEtcdCRDs:      crds.Druid,
	stepIstioCRDs:     crds.Istio,
	stepResourceCRDs:  crds.Resources,
}

// InstallCRDs applies all definitions that a seed needs in one batch and waits once until all are served. The client
// must be uncached and know apiextensions/v1. Callers that watch these kinds in the seed must call it before they
// start. If the cluster contains a Garden, definitions of its operator stay as they are.
func InstallCRDs(ctx context.Context, seed client.Client) error {
	garden, err := runtimecluster.Garden(ctx, seed)
	if err != nil {
		return err
	}
	return installAll(ctx, seed, garden, nil)
}

// InstallRuntimeCRDs is InstallCRDs for a caller that is itself the operator of the Garden in the cluster. more are definitions beside those of
// a seed.
func InstallRuntimeCRDs(ctx context.Context, cluster client.Client, more ...func() ([]*apiextensionsv1.CustomResourceDefinition, error)) error {
	return installAll(ctx, cluster, "", more)
}

func installAll(ctx context.Context, seed client.Client, garden string, more []func() ([]*apiextensionsv1.CustomResourceDefinition, error)) error {
	installer := &crdInstaller{client: seed}
	var own, kept []*apiextensionsv1.CustomResourceDefinition
	for step, load := range definitions {
		some, err := load()
		if err != nil {
			return err
		}
		if ofOperator(step, garden) {
			kept = append(kept, some...)
		} else {
			own = append(own, some...)
		}
	}
	for _, load := range more {
		some, err := load()
		if err != nil {
			return err
		}
		own = append(own, some...)
	}
	if err := errors.Join(installer.apply(ctx, own, false), installer.apply(ctx, kept, true)); err != nil {
		return err
	}
	return installer.wait(ctx)
}

// ofOperator reports whether the definitions of a step belong to the operator of a Garden in the seed. They are created if they are missing, but
// not changed.
func ofOperator(step, garden string) bool {
	return garden != "" && (step == stepEtcdCRDs || step == stepResourceCRDs)
}

// crdInstaller remembers what it has installed, which makes repeated checks cheap. As long as nobody changes the
// definitions, it neither decodes definitions nor reads whole definitions.
type crdInstaller struct {
	client client.Client // uncached

	mutex   sync.Mutex
	sums    map[string]map[string]string // wanted, by step and name
	settled bool                         // true if nothing was applied since all were served
}

// ensure applies the definitions of a step if one of them is missing or outdated. If keep is set, it only creates those that are missing.
func (c *crdInstaller) ensure(ctx context.Context, step string, keep bool) error {
	installed, err := c.installed(ctx)
	if err != nil {
		return err
	}
	c.mutex.Lock()
	known := c.sums[step]
	c.mutex.Unlock()
	if known != nil && (contains(installed, known) || keep && containsNames(installed, known)) {
		return nil
	}
	wanted, err := definitions[step]()
	if err != nil {
		return err
	}
	return errors.Join(c.apply(ctx, wanted, keep), c.remember(step, wanted))
}

func (c *crdInstaller) remember(step string, wanted []*apiextensionsv1.CustomResourceDefinition) error {
	sums := make(map[string]string, len(wanted))
	for _, crd := range wanted {
		sum, err := checksum(crd)
		if err != nil {
			return err
		}
		sums[crd.Name] = sum
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.sums == nil {
		c.sums = map[string]map[string]string{}
	}
	c.sums[step] = sums
	return nil
}

// apply sends the definitions that are missing, or outdated unless keep is set, several at a time.
func (c *crdInstaller) apply(ctx context.Context, wanted []*apiextensionsv1.CustomResourceDefinition, keep bool) error {
	if len(wanted) == 0 {
		return nil
	}
	installed, err := c.installed(ctx)
	if err != nil {
		return err
	}
	var (
		group sync.WaitGroup
		slots = make(chan struct{}, writers)
		errs  = make([]error, len(wanted))
	)
	for i, crd := range wanted {
		sum, err := checksum(crd)
		if err != nil {
			return err
		}
		if present, found := installed[crd.Name]; found && (keep || present == sum) {
			continue
		}
		c.setSettled(false)
		metav1.SetMetaDataAnnotation(&crd.ObjectMeta, annotationChecksum, sum)
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			errs[i] = c.write(ctx, crd)
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

// write creates or replaces one definition. Server-side apply would cost the API server six times as much for it.
func (c *crdInstaller) write(ctx context.Context, crd *apiextensionsv1.CustomResourceDefinition) error {
	err := c.client.Create(ctx, crd.DeepCopy(), fieldOwner)
	if apierrors.IsAlreadyExists(err) {
		existing := &apiextensionsv1.CustomResourceDefinition{}
		if err = c.client.Get(ctx, client.ObjectKeyFromObject(crd), existing); err == nil {
			existing.Labels, existing.Spec = labels.Merge(existing.Labels, crd.Labels), crd.Spec
			existing.Annotations = labels.Merge(existing.Annotations, crd.Annotations)
			err = c.client.Update(ctx, existing, fieldOwner)
		}
	}
	if err != nil {
		return fmt.Errorf("install definition %q: %w", crd.Name, err)
	}
	return nil
}

func (c *crdInstaller) setSettled(settled bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.settled = settled
}

// installed returns the checksums of the definitions in the cluster.
func (c *crdInstaller) installed(ctx context.Context) (map[string]string, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinitionList"))
	if err := c.client.List(ctx, list); err != nil {
		return nil, fmt.Errorf("list custom resource definitions: %w", err)
	}
	sums := make(map[string]string, len(list.Items))
	for i := range list.Items {
		sums[list.Items[i].Name] = list.Items[i].Annotations[annotationChecksum]
	}
	return sums, nil
}

func containsNames(all, some map[string]string) bool {
	for name := range some {
		if _, found := all[name]; !found {
			return false
		}
	}
	return true
}

func contains(all, some map[string]string) bool {
	for key, value := range some {
		if all[key] != value {
			return false
		}
	}
	return true
}

func checksum(crd *apiextensionsv1.CustomResourceDefinition) (string, error) {
	raw, err := json.Marshal(crd.Spec)
	if err != nil {
		return "", fmt.Errorf("encode definition %q: %w", crd.Name, err)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:8]), nil
}

// wait returns when every definition with our checksum is served.
func (c *crdInstaller) wait(ctx context.Context) error {
	c.mutex.Lock()
	settled := c.settled
	c.mutex.Unlock()
	if settled {
		return nil
	}
	pending, woken := "", time.Now()
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, establishTimeout, true, func(ctx context.Context) (bool, error) {
		list := &apiextensionsv1.CustomResourceDefinitionList{}
		if err := c.client.List(ctx, list); err != nil {
			return false, fmt.Errorf("list custom resource definitions: %w", err)
		}
		waiting := false
		for i := range list.Items {
			crd := &list.Items[i]
			if _, ours := crd.Annotations[annotationChecksum]; !ours {
				continue
			}
			err := health.CustomResourceDefinition(crd)
			if err == nil {
				continue
			}
			pending, waiting = fmt.Sprintf("%s: %v", crd.Name, err), true
			if time.Since(woken) < wakePeriod {
				return false, nil
			}
			if err := c.wake(ctx, crd); err != nil {
				return false, err
			}
		}
		if time.Since(woken) >= wakePeriod {
			woken = time.Now()
		}
		return !waiting, nil
	})
	if err != nil {
		return fmt.Errorf("wait until custom resource definitions are established (%s): %w", pending, err)
	}
	c.setSettled(true)
	return nil
}

// wake changes a definition. An API server that was killed after it accepted the names of a definition and before it
// established the definition goes on with it only when the definition changes.
func (c *crdInstaller) wake(ctx context.Context, crd *apiextensionsv1.CustomResourceDefinition) error {
	before := crd.DeepCopy()
	metav1.SetMetaDataAnnotation(&crd.ObjectMeta, constants.GardenerTimestamp, time.Now().UTC().Format(time.RFC3339))
	if err := c.client.Patch(ctx, crd, client.MergeFrom(before), fieldOwner); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("change definition %q, which is not established: %w", crd.Name, err)
	}
	return nil
}
