// Package remove takes away what a bootstrap has written, and the Garden before it. It may be interrupted at any time and run again, also
// after a bootstrap that did not come to its end. What somebody else has installed stays.
package remove

import (
	"context"
	"errors"
	"fmt"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/bootstrap/condition"
	"github.com/gardener-up/gardener-up/appliance/bootstrap/entrance"
	"github.com/gardener-up/gardener-up/appliance/bootstrap/objects"
	"github.com/gardener-up/gardener-up/controllers/druid/protection"
	"github.com/gardener-up/gardener-up/controllers/druid/share"
	"github.com/gardener-up/gardener-up/controllers/operator/admission"
	"github.com/gardener-up/gardener-up/controllers/operator/garden/policy"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

const pause = 300 * time.Millisecond

// resourceManagerWebhooks is the name of the webhook configurations of the resource manager that the operator runs for the runtime cluster.
const resourceManagerWebhooks = "gardener-resource-manager"

// ErrHosts means that the cluster hosts something else that needs what would be removed.
var ErrHosts = errors.New("the cluster is a seed, which hosts control planes of shoots")

// ErrForeign means that somebody else has made the Garden.
var ErrForeign = errors.New("somebody else has made it")

// ErrSeeds means that the operator does not delete the Garden yet.
var ErrSeeds = errors.New("the Garden stays")

// hosted marks what the operator has written for the components of the Garden.
var hosted = client.MatchingLabels{"operator.gardener.cloud/host": "deployed"}

// Inputs of a removal.
type Inputs struct {
	Client client.Client
	// Tell is called with what is waited for.
	Tell func(doing string)
}

// All removes the Garden, then the operator, then what belongs to both. It returns when nothing is left.
func All(ctx context.Context, in Inputs) error {
	for _, step := range []func(context.Context) error{in.refuse, in.garden, in.operator, in.guards, in.rest} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// refuse protects a seed, and the shoots whose control planes are in it, and a Garden of somebody else.
func (in Inputs) refuse(ctx context.Context) error {
	gardens := &operatorv1alpha1.GardenList{}
	if err := in.Client.List(ctx, gardens); err != nil && !absent(err) {
		return fmt.Errorf("list Gardens: %w", err)
	}
	for i := range gardens.Items {
		if !objects.Ours(&gardens.Items[i]) {
			return fmt.Errorf("look at Garden %s: %w", gardens.Items[i].Name, ErrForeign)
		}
	}
	gardenlet := &appsv1.Deployment{}
	switch err := in.Client.Get(ctx, client.ObjectKey{Namespace: constants.GardenNamespace, Name: "gardenlet"}, gardenlet); {
	case err == nil:
		return fmt.Errorf("%w: there is a gardenlet", ErrHosts)
	case !apierrors.IsNotFound(err):
		return fmt.Errorf("read the Deployment of the gardenlet: %w", err)
	}
	etcds := &druidv1alpha1.EtcdList{}
	if err := in.Client.List(ctx, etcds); err != nil && !absent(err) {
		return fmt.Errorf("list Etcds: %w", err)
	}
	for _, etcd := range etcds.Items {
		if etcd.Namespace != constants.GardenNamespace {
			return fmt.Errorf("%w: there is Etcd %s/%s", ErrHosts, etcd.Namespace, etcd.Name)
		}
	}
	return nil
}

// patience is how long an API server of the garden may be away before a removal gives up asking it for Seeds.
const patience = 3 * time.Minute

// garden confirms the deletion of the Garden, and waits until the operator has torn it down.
func (in Inputs) garden(ctx context.Context) error {
	for began := time.Now(); ; {
		state, err := condition.Look(ctx, in.Client, "")
		if err != nil {
			return err
		}
		garden := state.Garden
		if garden == nil {
			return nil
		}
		if garden.DeletionTimestamp == nil {
			err := in.confirm(ctx, garden)
			if errors.Is(err, ErrSeeds) && time.Since(began) < patience && in.away(ctx) { // it may just restart
				in.Tell("the API server of the garden is starting, and has to say whether it has Seeds")
				if err := in.wait(ctx, "the API server of the garden serves"); err != nil {
					return err
				}
				continue
			}
			if err != nil {
				return err
			}
		}
		if last := garden.Status.LastOperation; last != nil && last.Type == gardencorev1beta1.LastOperationTypeDelete && last.State == gardencorev1beta1.LastOperationStatePending {
			return fmt.Errorf("%w: %s", ErrSeeds, last.Description)
		}
		in.Tell(state.Doing)
		if err := in.wait(ctx, "Garden "+garden.Name+" is gone: "+state.Doing); err != nil {
			return err
		}
	}
}

// away reports whether no pod of the garden's API server serves.
func (in Inputs) away(ctx context.Context) bool {
	server := &appsv1.Deployment{}
	err := in.Client.Get(ctx, client.ObjectKey{Namespace: constants.GardenNamespace, Name: entrance.APIServer}, server)
	return err == nil && server.Status.AvailableReplicas == 0
}

func (in Inputs) confirm(ctx context.Context, garden *operatorv1alpha1.Garden) error {
	before := garden.DeepCopy()
	metav1.SetMetaDataAnnotation(&garden.ObjectMeta, constants.ConfirmationDeletion, "true")
	if err := in.Client.Patch(ctx, garden, client.MergeFrom(before)); err != nil {
		return fmt.Errorf("confirm the deletion of Garden %s: %w", garden.Name, err)
	}
	if err := in.Client.Delete(ctx, garden); apierrors.IsForbidden(err) {
		return fmt.Errorf("%w: %w", ErrSeeds, err)
	} else if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete Garden %s: %w", garden.Name, err)
	}
	return nil
}

// operator removes the operator, and waits until its pods have ended. It would write again what comes after it.
func (in Inputs) operator(ctx context.Context) error {
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: constants.GardenNamespace, Name: objects.Operator}}
	if err := in.delete(ctx, deployment, true); err != nil {
		return err
	}
	for {
		pods := &corev1.PodList{}
		if err := in.Client.List(ctx, pods, client.InNamespace(constants.GardenNamespace), client.MatchingLabels{
			objects.LabelManagedBy: objects.ManagedBy, constants.LabelRole: "operator",
		}); err != nil {
			return fmt.Errorf("list pods of the operator: %w", err)
		}
		if len(pods.Items) == 0 {
			return nil
		}
		in.Tell("the operator ends")
		if err := in.wait(ctx, "the operator has ended"); err != nil {
			return err
		}
	}
}

// guards removes what the operator has written for the whole cluster: nobody answers its webhooks any more.
func (in Inputs) guards(ctx context.Context) error {
	if foreign, err := in.foreign(ctx); err != nil || foreign {
		return err // the webhooks and policies of somebody else have the same names
	}
	all := append(policy.Objects(), protection.Objects(share.Operator)...)
	for _, name := range []string{admission.Name, resourceManagerWebhooks} {
		all = append(all, &admissionregistrationv1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: name}},
			&admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	for _, object := range all {
		if err := in.delete(ctx, object, false); err != nil {
			return err
		}
	}
	for _, kind := range []client.Object{&schedulingv1.PriorityClass{}, &rbacv1.ClusterRoleBinding{}, &rbacv1.ClusterRole{}} {
		if err := in.Client.DeleteAllOf(ctx, kind, hosted); err != nil {
			return fmt.Errorf("delete every %T of the Garden: %w", kind, err)
		}
	}
	return nil
}

// foreign reports whether the kind Garden is that of somebody else, or gone already.
func (in Inputs) foreign(ctx context.Context) (bool, error) {
	definition := &apiextensionsv1.CustomResourceDefinition{}
	err := in.Client.Get(ctx, client.ObjectKey{Name: "gardens." + operatorv1alpha1.GroupName}, definition)
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("read the definition of Gardens: %w", err)
	}
	return !objects.Ours(definition), nil
}

// rest removes the namespace, the rights and the definitions, the definition of Gardens last: it tells whose the guards are.
func (in Inputs) rest(ctx context.Context) error {
	definitions, err := objects.Definitions()
	if err != nil {
		return err
	}
	const role = objects.ClusterRole
	all := []client.Object{
		objects.Namespace(),
		&rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: role}}, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: role}},
	}
	var last client.Object
	for _, definition := range definitions {
		if definition.GetName() == "gardens."+operatorv1alpha1.GroupName {
			last = definition
			continue
		}
		all = append(all, definition)
	}
	for _, object := range append(all, last) {
		if err := in.delete(ctx, object, true); err != nil {
			return err
		}
	}
	return nil
}

// delete deletes an object and waits until it is gone. Of objects that carry the label only ours are deleted.
func (in Inputs) delete(ctx context.Context, object client.Object, labelled bool) error {
	what := fmt.Sprintf("%T %s", object, object.GetName())
	for {
		present := object.DeepCopyObject().(client.Object)
		err := in.Client.Get(ctx, client.ObjectKeyFromObject(object), present)
		if absent(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", what, err)
		}
		if labelled && !objects.Ours(present) {
			return nil
		}
		if present.GetDeletionTimestamp() == nil {
			if err := in.Client.Delete(ctx, present); client.IgnoreNotFound(err) != nil {
				return fmt.Errorf("delete %s: %w", what, err)
			}
		}
		in.Tell("removing " + object.GetName())
		if err := in.wait(ctx, what+" is gone"); err != nil {
			return err
		}
	}
}

func absent(err error) bool { return apierrors.IsNotFound(err) || meta.IsNoMatchError(err) }

func (in Inputs) wait(ctx context.Context, until string) error {
	select {
	case <-ctx.Done():
		return fmt.Errorf("wait until %s: %w", until, ctx.Err())
	case <-time.After(pause):
		return nil
	}
}
