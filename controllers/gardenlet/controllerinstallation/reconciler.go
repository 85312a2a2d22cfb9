// Package controllerinstallation deploys the ControllerInstallations of the seed and reports their state. Controllers
// that are part of this binary need no deployment; they have the deployment type "builtin".
//
// Helm charts are not rendered yet: such installations are reported as not valid.
package controllerinstallation

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// TypeBuiltin is the type of ControllerDeployments for controllers in this binary.
const TypeBuiltin = "builtin"

// stillRequired is the interval for retrying a deletion that waits for extension objects to be deleted.
const stillRequired = 5 * time.Second

// Reconciler handles the ControllerInstallations of one seed. All fields are required.
type Reconciler struct {
	Garden   client.Client
	Seed     client.Client // uncached
	Clock    clock.PassiveClock
	SeedName string
}

// Reconcile handles one installation. It is idempotent.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	installation := &gardencorev1beta1.ControllerInstallation{}
	if err := r.Garden.Get(ctx, request.NamespacedName, installation); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if !r.ours(installation) {
		return reconcile.Result{}, nil
	}
	installation = installation.DeepCopy()
	if installation.DeletionTimestamp != nil {
		return r.delete(ctx, installation)
	}
	err := patch.Metadata(ctx, r.Garden, installation, func() {
		controllerutil.AddFinalizer(installation, constants.FinalizerControllerInstallation)
	})
	if err != nil {
		return reconcile.Result{}, err
	}
	findings, err := r.findings(ctx, installation)
	if err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{}, r.report(ctx, installation, findings)
}

// findings reads the objects that the installation refers to and returns the findings for its conditions.
func (r *Reconciler) findings(ctx context.Context, installation *gardencorev1beta1.ControllerInstallation) (map[gardencorev1beta1.ConditionType]conditions.Finding, error) {
	registration := &gardencorev1beta1.ControllerRegistration{}
	if err := r.Garden.Get(ctx, client.ObjectKey{Name: installation.Spec.RegistrationRef.Name}, registration); err != nil {
		if client.IgnoreNotFound(err) == nil {
			return invalid("RegistrationNotFound", fmt.Sprintf("Referenced ControllerRegistration does not exist: %v", err)), nil
		}
		return nil, fmt.Errorf("read registration: %w", err)
	}
	if installation.Spec.DeploymentRef == nil {
		return Judge(nil), nil
	}
	deployment := &gardencorev1beta1.ControllerDeployment{}
	if err := r.Garden.Get(ctx, client.ObjectKey{Name: installation.Spec.DeploymentRef.Name}, deployment); err != nil {
		if client.IgnoreNotFound(err) == nil {
			return invalid("ChartInformationInvalid", fmt.Sprintf("Referenced ControllerDeployment does not exist: %v", err)), nil
		}
		return nil, fmt.Errorf("read deployment: %w", err)
	}
	return Judge(deployment), nil
}

// Judge returns the findings for an installation with this deployment. It returns none if there is no deployment, or if
// its type is unknown here: then another component deploys the controller and reports its state.
func Judge(deployment *gardencorev1beta1.ControllerDeployment) map[gardencorev1beta1.ConditionType]conditions.Finding {
	switch {
	case deployment == nil:
		return nil
	case deployment.Type == TypeBuiltin:
		return map[gardencorev1beta1.ConditionType]conditions.Finding{
			gardencorev1beta1.ControllerInstallationValid:       conditions.True("RegistrationValid", "The controller is part of the appliance."),
			gardencorev1beta1.ControllerInstallationInstalled:   conditions.True("InstallationSuccessful", "The controller is part of the appliance."),
			gardencorev1beta1.ControllerInstallationHealthy:     conditions.True("ControllerHealthy", "The controller runs with the appliance."),
			gardencorev1beta1.ControllerInstallationProgressing: conditions.False("ControllerRolledOut", "The controller is rolled out with the appliance."),
		}
	case deployment.Type == gardencorev1beta1.ControllerDeploymentTypeHelm:
		return invalid("ChartCannotBeRendered", "Deployments of type helm are not supported by this gardenlet.")
	default:
		return nil
	}
}

func invalid(reason, message string) map[gardencorev1beta1.ConditionType]conditions.Finding {
	return map[gardencorev1beta1.ConditionType]conditions.Finding{
		gardencorev1beta1.ControllerInstallationValid:     conditions.False(reason, message),
		gardencorev1beta1.ControllerInstallationInstalled: conditions.False("InstallationPending", "The installation waits for a valid deployment."),
	}
}

func (r *Reconciler) report(ctx context.Context, installation *gardencorev1beta1.ControllerInstallation, findings map[gardencorev1beta1.ConditionType]conditions.Finding) error {
	before := installation.DeepCopy()
	for _, kind := range []gardencorev1beta1.ConditionType{
		gardencorev1beta1.ControllerInstallationValid, gardencorev1beta1.ControllerInstallationInstalled,
		gardencorev1beta1.ControllerInstallationHealthy, gardencorev1beta1.ControllerInstallationProgressing,
		gardencorev1beta1.ControllerInstallationRequired,
	} {
		if finding, found := findings[kind]; found {
			installation.Status.Conditions = conditions.Set(installation.Status.Conditions, kind, finding, r.Clock.Now())
		}
	}
	return patch.Status(ctx, r.Garden, installation, before)
}

// delete removes the finalizer of an installation when no object in the seed needs its controller any more.
func (r *Reconciler) delete(ctx context.Context, installation *gardencorev1beta1.ControllerInstallation) (reconcile.Result, error) {
	if !controllerutil.ContainsFinalizer(installation, constants.FinalizerControllerInstallation) {
		return reconcile.Result{}, nil
	}
	user, err := r.firstUser(ctx, installation)
	if err != nil {
		return reconcile.Result{}, err
	}
	if user != "" {
		return reconcile.Result{RequeueAfter: stillRequired}, r.report(ctx, installation, map[gardencorev1beta1.ConditionType]conditions.Finding{
			gardencorev1beta1.ControllerInstallationRequired: conditions.True("ExtensionObjectsExist", "Extension objects still exist in the seed cluster: "+user),
		})
	}
	return reconcile.Result{}, client.IgnoreNotFound(patch.Metadata(ctx, r.Garden, installation, func() {
		controllerutil.RemoveFinalizer(installation, constants.FinalizerControllerInstallation)
	}))
}

// firstUser returns the name of an object in the seed that the controller is responsible for; it is empty if there is
// none.
func (r *Reconciler) firstUser(ctx context.Context, installation *gardencorev1beta1.ControllerInstallation) (string, error) {
	registration := &gardencorev1beta1.ControllerRegistration{}
	if err := r.Garden.Get(ctx, client.ObjectKey{Name: installation.Spec.RegistrationRef.Name}, registration); err != nil {
		return "", client.IgnoreNotFound(err)
	}
	for _, resource := range registration.Spec.Resources {
		if resource.Primary != nil && !*resource.Primary {
			continue
		}
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(extensionsv1alpha1.SchemeGroupVersion.WithKind(resource.Kind + "List"))
		if err := r.Seed.List(ctx, list); err != nil {
			if meta.IsNoMatchError(err) {
				continue
			}
			return "", fmt.Errorf("list objects of kind %s in the seed: %w", resource.Kind, err)
		}
		for i := range list.Items {
			object := &list.Items[i]
			if objectType, _, _ := unstructured.NestedString(object.Object, "spec", "type"); objectType == resource.Type {
				return fmt.Sprintf("%s %s", resource.Kind, client.ObjectKeyFromObject(object)), nil
			}
		}
	}
	return "", nil
}

func (r *Reconciler) ours(installation *gardencorev1beta1.ControllerInstallation) bool {
	return installation.Spec.SeedRef != nil && installation.Spec.SeedRef.Name == r.SeedName
}
