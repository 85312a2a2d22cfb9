package deployed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/managedresource"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	"github.com/gardener-up/gardener-up/controllers/operator/deployed/gateway"
	"github.com/gardener-up/gardener-up/controllers/operator/deployed/monitoring"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// destroy removes the components of a stage, and returns an error that says what is left.
func (in Inputs) destroy(ctx context.Context, stage host.Stage) error {
	switch stage {
	case host.Monitoring:
		return in.gone(ctx, monitoring.Monitoring{Client: in.Client, Namespace: in.Namespace}.Objects()...)
	case host.ControlPlane:
		return in.destroyGardener(ctx)
	case host.VirtualGarden:
		return in.gone(ctx, in.deployments(resourceManager, controllerManager, apiServer)...)
	case host.ETCD:
		return in.destroyEtcds(ctx)
	case host.SystemComponents:
		entrance := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: gateway.Namespace}}
		return errors.Join(scalingOf(in, nil).Destroy(ctx), in.gone(ctx, entrance))
	case host.ResourceManager:
		if err := in.destroyRest(ctx); err != nil {
			return err
		}
		return in.destroyRuntime(ctx)
	}
	return nil
}

// destroyGardener removes Gardener's own components. The resource manager of the virtual garden then forgets their objects there, which it
// leaves for the end of the virtual garden.
func (in Inputs) destroyGardener(ctx context.Context) error {
	if err := in.gone(ctx, in.deployments(gardenerScheduler, gardenerControllerManager, gardenerAdmission, gardenerAPIServer)...); err != nil {
		return err
	}
	if err := in.destroyManaged(ctx); err != nil {
		return err
	}
	for _, name := range []string{resourceSystem, resourceGardenerAPI, "garden-access"} { // the resource manager needs them until then
		if err := in.Client.Delete(ctx, &corev1.Secret{ObjectMeta: in.meta(managedresource.SecretPrefix + name)}); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete secret of managed resource %q: %w", name, err)
		}
	}
	return nil
}

// destroyManaged removes the ManagedResources of the virtual garden, also those of users: nobody would let go of them later. If the virtual
// garden does not serve any more, they are let go here, and their objects end with it.
func (in Inputs) destroyManaged(ctx context.Context) error {
	all := &resourcesv1alpha1.ManagedResourceList{}
	if err := in.Client.List(ctx, all, client.InNamespace(in.Namespace)); err != nil {
		return fmt.Errorf("list managed resources: %w", err)
	}
	broken := errors.Join(in.deployment(apiServer)(ctx), in.deployment(resourceManager)(ctx))
	var objects []client.Object
	for i := range all.Items {
		resource := &all.Items[i]
		if ptr.Deref(resource.Spec.Class, "") != "" {
			continue
		}
		if err := in.release(ctx, resource, broken != nil); err != nil {
			return fmt.Errorf("let go of managed resource %q: %w", resource.Name, err)
		}
		objects = append(objects, resource)
	}
	return in.gone(ctx, objects...)
}

// release lets the objects of a ManagedResource stay, since some of them need Gardener's API server. If the virtual garden is broken, it also
// takes the finalizers of the resource manager.
func (in Inputs) release(ctx context.Context, resource *resourcesv1alpha1.ManagedResource, broken bool) error {
	before := resource.DeepCopy()
	resource.Spec.KeepObjects = ptr.To(true)
	if broken {
		resource.Finalizers = nil
	}
	if err := in.Client.Patch(ctx, resource, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
		return err
	}
	if !broken {
		return nil
	}
	for _, reference := range resource.Spec.SecretRefs {
		secret := &corev1.Secret{ObjectMeta: in.meta(reference.Name)}
		if err := in.Client.Get(ctx, client.ObjectKeyFromObject(secret), secret); err != nil || len(secret.Finalizers) == 0 {
			if client.IgnoreNotFound(err) != nil {
				return err
			}
			continue
		}
		before := secret.DeepCopy()
		secret.Finalizers = slices.DeleteFunc(secret.Finalizers, func(name string) bool { return strings.HasPrefix(name, "resources.gardener.cloud/") })
		if err := in.Client.Patch(ctx, secret, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
			return err
		}
	}
	return nil
}

// destroyEtcds removes the Etcds and then their volumes, which nothing else deletes.
func (in Inputs) destroyEtcds(ctx context.Context) error {
	var objects []client.Object
	for _, name := range []string{etcdMain, etcdEvents} {
		objects = append(objects, &druidv1alpha1.Etcd{ObjectMeta: in.meta(name)})
	}
	if err := in.gone(ctx, objects...); err != nil {
		return err
	}
	for _, name := range []string{etcdMain, etcdEvents} {
		if err := in.destroyVolumes(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// destroyRest removes all other objects of this host in the namespace: Services, accounts, configurations and secrets.
func (in Inputs) destroyRest(ctx context.Context) error {
	for _, kind := range []client.Object{
		&policyv1.PodDisruptionBudget{}, &corev1.Service{}, &corev1.ConfigMap{}, &corev1.Secret{}, &rbacv1.RoleBinding{}, &rbacv1.Role{}, &corev1.ServiceAccount{},
	} {
		err := in.Client.DeleteAllOf(ctx, kind, client.InNamespace(in.Namespace), client.MatchingLabels{labelHost: labelHostValue}, client.PropagationPolicy(metav1.DeletePropagationBackground))
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete every %T of the garden: %w", kind, err)
		}
	}
	secrets := &corev1.SecretList{}
	err := in.Client.List(ctx, secrets, client.InNamespace(in.Namespace), client.MatchingLabels{
		secretsmanager.LabelManagedBy: secretsmanager.ManagedBy, secretsmanager.LabelManagerIdentity: constants.SecretManagerIdentityOperator,
	})
	if err != nil {
		return fmt.Errorf("list secrets of the garden: %w", err)
	}
	for i := range secrets.Items {
		secret := &secrets.Items[i]
		if !ours(secret) {
			continue
		}
		if err := in.Client.Delete(ctx, secret); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete secret %q: %w", secret.Name, err)
		}
	}
	return nil
}

// ours reports whether a secret, or a bundle, belongs to a configuration of this host.
func ours(secret *corev1.Secret) bool {
	name := secret.Labels[secretsmanager.LabelName]
	if of := secret.Labels[secretsmanager.LabelBundleFor]; of != "" {
		name = of
	}
	return slices.Contains(secretNames, name)
}

func (in Inputs) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: in.Namespace, Name: name}
}

func (in Inputs) deployments(names ...string) (out []client.Object) {
	for _, name := range names {
		out = append(out, &appsv1.Deployment{ObjectMeta: in.meta(name)})
	}
	return out
}

// gone deletes the objects and returns an error until all of them, and the pods of Deployments, are gone. An object stays until its turn
// comes: those before it may need it.
func (in Inputs) gone(ctx context.Context, objects ...client.Object) error {
	for _, object := range objects {
		confirm := client.RawPatch("application/merge-patch+json", fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"true"}}}`, constants.ConfirmationDeletion))
		err := in.Client.Patch(ctx, object, confirm, fieldOwner)
		if err == nil {
			err = in.Client.Delete(ctx, object, client.PropagationPolicy(metav1.DeletePropagationForeground))
		}
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete %T %q: %w", object, object.GetName(), err)
		}
		switch err := in.Client.Get(ctx, client.ObjectKeyFromObject(object), object); {
		case err == nil:
			return errors.New(left(object))
		case !apierrors.IsNotFound(err):
			return fmt.Errorf("read %T %q: %w", object, object.GetName(), err)
		}
	}
	return nil
}

// left says what an object waits for that is being deleted.
func left(object client.Object) string {
	text := fmt.Sprintf("%T %q still exists", object, object.GetName())
	switch object.(type) {
	case *druidv1alpha1.Etcd:
		return text + ": the druid of the runtime cluster ends its pods first"
	case *resourcesv1alpha1.ManagedResource:
		return text + ": the resource manager of the virtual garden lets go of its objects first"
	case *appsv1.Deployment, *appsv1.StatefulSet:
		return text + ": its pods end first"
	}
	return text
}
