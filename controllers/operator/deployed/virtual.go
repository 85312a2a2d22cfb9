package deployed

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubecontrollermanager"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/resourcemanager"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// controllers of a virtual garden: those that need neither nodes nor pods. None makes tokens that do not expire (OPR-11). That of bootstrap
// tokens deletes expired ones of gardenlets. Gardener approves the requests of gardenlets for certificates.
const controllers = "namespace-controller,serviceaccount-controller,clusterrole-aggregation-controller,garbage-collector-controller," +
	"resourcequota-controller,certificatesigningrequest-signing-controller,certificatesigningrequest-cleaner-controller," +
	"root-ca-certificate-publisher-controller,token-cleaner-controller,validatingadmissionpolicy-status-controller"

// usualSigning is the validity of certificates that clients request, as the API documents it.
const usualSigning = 48 * time.Hour

// deployVirtualGarden writes the API server, and what depends on it when it serves.
func (r run) deployVirtualGarden(ctx context.Context) error {
	clusterIP, err := r.prepare(ctx)
	if err != nil {
		return err
	}
	if err := r.deployAPIServer(ctx, clusterIP); err != nil {
		return err
	}
	if err := r.awaitRolledOut(ctx, apiServer); err != nil {
		return err
	}
	if err := r.applyAll(ctx, r.connection()); err != nil {
		return err
	}
	if err := r.applyAll(ctx, r.controllerManager()); err != nil {
		return err
	}
	objects := resourcemanager.GardenObjects(resourcemanager.GardenValues{
		Namespace: r.Namespace, Prefix: prefix, Image: r.Image, Replicas: r.availability.Controllers(),
		ClusterIdentity: r.garden.Spec.VirtualCluster.Gardener.ClusterIdentity, Access: r.made.resourceManager,
	})
	if err := r.applyAll(ctx, objects...); err != nil {
		return err
	}
	return r.awaitRolledOut(ctx, controllerManager, resourceManager)
}

func (r run) controllerManager() *appsv1.Deployment {
	cluster := &r.garden.Spec.VirtualCluster
	values := kubecontrollermanager.Values{
		Namespace: r.Namespace, Prefix: prefix, Image: r.Image, Replicas: r.availability.Controllers(), Version: cluster.Kubernetes.Version,
		ServiceCIDR: r.services(), Workerless: true, Controllers: controllers, SigningDuration: usualSigning, Secrets: r.made.controllerManager,
	}
	if settings := cluster.Kubernetes.KubeControllerManager; settings != nil {
		values.Config = settings.KubeControllerManagerConfig
		values.SigningDuration = ptr.Deref(settings.CertificateSigningDuration, metav1.Duration{Duration: usualSigning}).Duration
	}
	return prioritise(kubecontrollermanager.Deployment(values), constants.PriorityClassNameGardenSystem300)
}
