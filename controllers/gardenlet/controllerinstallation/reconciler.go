// Package controllerinstallation deploys the ControllerInstallations of the seed and reports their state. Controllers
// that are part of this binary need no deployment; they have the deployment type "builtin". Charts are rendered here and
// applied by the resource manager of the seed. Installations of any other type are the business of others.
package controllerinstallation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/discovery"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/bootstrap"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/controllerinstallation/chart"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/controllerinstallation/ocichart"
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

// recheck is the interval for looking again at what changes without an event: tags in registries, and kinds of the seed.
const recheck = time.Hour

// stillThere is the interval for looking whether what an installation made in the seed is gone.
const stillThere = time.Second

// Reconciler handles the ControllerInstallations of one seed. All fields are required.
type Reconciler struct {
	Garden    client.Client
	Reader    client.Reader // of the garden, uncached
	Seed      client.Client // uncached
	SeedCache cache.Cache   // reports changes of ManagedResources
	Discovery discovery.DiscoveryInterface
	Clock     clock.PassiveClock
	SeedName  string
	// Version and Gates of the gardenlet, which charts may ask for.
	Version string
	Gates   map[string]bool
	// Address is where pods of the seed find the garden. If it is nil, they get no access.
	Address *bootstrap.Garden

	charts ocichart.Puller
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
	found, err := r.find(ctx, installation)
	if err := errors.Join(err, r.report(ctx, installation, found)); err != nil {
		return reconcile.Result{}, err
	}
	if found[gardencorev1beta1.ControllerInstallationInstalled].Reason == reasonLeaving {
		return reconcile.Result{RequeueAfter: stillThere}, nil
	}
	return reconcile.Result{RequeueAfter: recheck}, nil
}

// find reads the objects that the installation refers to, deploys what they describe, and returns the findings for the
// conditions. There are findings even if there is an error.
func (r *Reconciler) find(ctx context.Context, installation *gardencorev1beta1.ControllerInstallation) (findings, error) {
	registration := &gardencorev1beta1.ControllerRegistration{}
	if err := r.Garden.Get(ctx, client.ObjectKey{Name: installation.Spec.RegistrationRef.Name}, registration); err != nil {
		if client.IgnoreNotFound(err) == nil {
			return r.invalid(ctx, installation, "RegistrationNotFound", fmt.Sprintf("Referenced ControllerRegistration does not exist: %v", err))
		}
		return nil, fmt.Errorf("read registration: %w", err)
	}
	if installation.Spec.DeploymentRef == nil {
		return r.withoutChart(ctx, installation, Judge(nil))
	}
	deployment := &gardencorev1beta1.ControllerDeployment{}
	if err := r.Garden.Get(ctx, client.ObjectKey{Name: installation.Spec.DeploymentRef.Name}, deployment); err != nil {
		if client.IgnoreNotFound(err) == nil {
			return r.invalid(ctx, installation, "ChartInformationInvalid", fmt.Sprintf("Referenced ControllerDeployment does not exist: %v", err))
		}
		return nil, fmt.Errorf("read deployment: %w", err)
	}
	if deployment.Type == gardencorev1beta1.ControllerDeploymentTypeHelm {
		return r.helm(ctx, installation, registration, deployment)
	}
	return r.withoutChart(ctx, installation, Judge(deployment))
}

// withoutChart removes a chart that an earlier deployment of the installation brought. After that there are the given findings.
func (r *Reconciler) withoutChart(ctx context.Context, installation *gardencorev1beta1.ControllerInstallation, after findings) (findings, error) {
	had, err := r.hasChart(ctx, installation)
	if !had || err != nil {
		return after, err
	}
	left, err := r.uninstall(ctx, installation)
	if left == "" || err != nil {
		return after, err
	}
	return leaving("The deployment is no chart any more. Still to be removed from the seed cluster: " + left), nil
}

// helm installs the chart of the deployment. A chart that cannot be rendered any more leaves the last release as it is.
func (r *Reconciler) helm(
	ctx context.Context, installation *gardencorev1beta1.ControllerInstallation, registration *gardencorev1beta1.ControllerRegistration,
	deployment *gardencorev1beta1.ControllerDeployment,
) (findings, error) {
	valid, failure := r.roll(ctx, installation, registration, deployment)
	found, err := r.deployed(ctx, installation)
	if found == nil {
		found = findings{}
	}
	if failure != nil && valid.Status == gardencorev1beta1.ConditionTrue && found[gardencorev1beta1.ControllerInstallationInstalled].Status != gardencorev1beta1.ConditionTrue {
		found[gardencorev1beta1.ControllerInstallationInstalled] = conditions.False("InstallationFailed", failure.Error())
	}
	if valid.Status != "" {
		found[gardencorev1beta1.ControllerInstallationValid] = valid
	}
	var final unrendered
	if errors.As(failure, &final) && final.final() {
		failure = nil // a change of the deployment, the registration or the seed wakes the controller
	}
	return found, errors.Join(failure, err)
}

// roll brings the chart into the seed. The finding says whether the chart is valid. It is empty if that is not known.
func (r *Reconciler) roll(
	ctx context.Context, installation *gardencorev1beta1.ControllerInstallation, registration *gardencorev1beta1.ControllerRegistration,
	deployment *gardencorev1beta1.ControllerDeployment,
) (conditions.Finding, error) {
	from, err := originOf(deployment)
	if err != nil {
		return conditions.False("ChartInformationInvalid", err.Error()), unrendered{err}
	}
	archive, err := r.archive(ctx, from)
	if err != nil {
		return conditions.False("OCIChartCannotBePulled", err.Error()), err
	}
	want := release{installation: installation, registration: registration, archive: archive, seed: r.SeedName}
	if want.access, err = r.gardenAccess(installation, deployment); err != nil {
		return conditions.Finding{}, err
	}
	if want.Release, err = r.release(ctx, installation, from.Values, want.access); err != nil {
		return conditions.Finding{}, err
	}
	err = r.install(ctx, want)
	if final := (unrendered{}); errors.As(err, &final) {
		return conditions.False("ChartCannotBeRendered", err.Error()), err
	}
	return conditions.True("RegistrationValid", "The chart could be rendered successfully."), err
}

// release tells the chart about its installation, garden and seed.
func (r *Reconciler) release(
	ctx context.Context, installation *gardencorev1beta1.ControllerInstallation, values map[string]any, access *gardenAccess,
) (chart.Release, error) {
	seed := &gardencorev1beta1.Seed{}
	if err := r.Garden.Get(ctx, client.ObjectKey{Name: r.SeedName}, seed); err != nil {
		return chart.Release{}, fmt.Errorf("read seed %q: %w", r.SeedName, err)
	}
	identity := &corev1.ConfigMap{}
	if err := r.Reader.Get(ctx, client.ObjectKey{Namespace: metav1.NamespaceSystem, Name: constants.ClusterIdentity}, identity); err != nil {
		return chart.Release{}, fmt.Errorf("read identity of the garden: %w", err)
	}
	gardener := Gardener{Version: r.Version, Garden: identity.Data[constants.ClusterIdentity], Gates: r.Gates}
	if access != nil {
		gardener.Kubeconfig = access.kubeconfig.Name
	}
	about, err := gardener.values(seed)
	if err != nil {
		return chart.Release{}, err
	}
	seedCluster, err := clusterOf(r.Discovery)
	if err != nil {
		return chart.Release{}, err
	}
	merged := map[string]any{}
	maps.Copy(merged, values)
	merged["gardener"] = over(values["gardener"], about)
	return chart.Release{
		Name: installation.Spec.RegistrationRef.Name, Namespace: namespacePrefix + installation.Name, Values: merged, Cluster: seedCluster,
	}, nil
}

// Judge returns the findings for an installation with this deployment, which is no chart. Nothing is deployed if the registration
// names no deployment, or if the controller is part of this binary. There are no findings if the type is unknown here: then another
// component deploys the controller and reports its state.
func Judge(deployment *gardencorev1beta1.ControllerDeployment) findings {
	switch {
	case deployment == nil:
		return running("runs elsewhere, since the registration names no deployment")
	case deployment.Type == TypeBuiltin:
		return running("is part of the appliance")
	default:
		return nil
	}
}

// running are the findings for a controller that needs no deployment.
func running(where string) findings {
	message := "The controller " + where + "."
	return findings{
		gardencorev1beta1.ControllerInstallationValid:       conditions.True("RegistrationValid", message),
		gardencorev1beta1.ControllerInstallationInstalled:   conditions.True("InstallationSuccessful", message),
		gardencorev1beta1.ControllerInstallationHealthy:     conditions.True("ControllerHealthy", message),
		gardencorev1beta1.ControllerInstallationProgressing: conditions.False("ControllerRolledOut", message),
	}
}

// invalid are the findings for an installation that cannot be deployed. What an earlier deployment brought stays as it is.
func (r *Reconciler) invalid(ctx context.Context, installation *gardencorev1beta1.ControllerInstallation, reason, message string) (findings, error) {
	found, err := r.deployed(ctx, installation)
	if found == nil {
		found = findings{}
	}
	found[gardencorev1beta1.ControllerInstallationValid] = conditions.False(reason, message)
	return found, err
}

func (r *Reconciler) report(ctx context.Context, installation *gardencorev1beta1.ControllerInstallation, found findings) error {
	before := installation.DeepCopy()
	for _, kind := range []gardencorev1beta1.ConditionType{
		gardencorev1beta1.ControllerInstallationValid, gardencorev1beta1.ControllerInstallationInstalled,
		gardencorev1beta1.ControllerInstallationHealthy, gardencorev1beta1.ControllerInstallationProgressing,
		gardencorev1beta1.ControllerInstallationRequired,
	} {
		if finding, is := found[kind]; is {
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
		return reconcile.Result{RequeueAfter: stillRequired}, r.report(ctx, installation, findings{
			gardencorev1beta1.ControllerInstallationRequired: conditions.True("ExtensionObjectsExist", "Extension objects still exist in the seed cluster: "+user),
		})
	}
	left, err := r.uninstall(ctx, installation)
	if err != nil {
		return reconcile.Result{}, err
	}
	if left != "" {
		return reconcile.Result{RequeueAfter: stillThere}, r.report(ctx, installation, findings{
			gardencorev1beta1.ControllerInstallationRequired:  conditions.False("NoExtensionObjects", "No object in the seed cluster needs the controller."),
			gardencorev1beta1.ControllerInstallationInstalled: conditions.False("DeletionPending", "Still to be removed from the seed cluster: "+left),
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
