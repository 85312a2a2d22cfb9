package controlplane

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/yaml"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/cloudcontroller/deploy"
	"github.com/gardener-up/gardener-up/providers/contract"
	"github.com/gardener-up/gardener-up/providers/managed"
)

const (
	// seedName and shootName are the ManagedResources of the cloud controller.
	seedName, shootName = "extension-controlplane-seed", "extension-controlplane-shoot"
	objectsKey          = "objects.yaml"
)

// cloudController deploys the cloud controller, as many replicas as the Shoot needs.
func (a *Actuator) cloudController(ctx context.Context, cluster *contract.Cluster, cp *extensionsv1alpha1.ControlPlane) error {
	if a.Image == "" {
		return nil
	}
	if cluster == nil || cluster.Shoot == nil || cluster.TokenKubeconfig == "" {
		return contract.Waiting{For: "the kubeconfig of the Shoot, which the gardenlet writes"}
	}
	if err := a.access(ctx, cp.Namespace); err != nil {
		return err
	}
	rights, err := documents(deploy.ShootObjects()...)
	if err != nil {
		return err
	}
	if err := a.resourceNamed(cp, shootName).Apply(ctx, rights); err != nil {
		return err
	}
	objects := deploy.SeedObjects(deploy.Values{
		Namespace: cp.Namespace, Image: a.Image, Kubeconfig: cluster.TokenKubeconfig, Replicas: replicas(cluster), Tolerant: tolerant(cluster),
	})
	for _, object := range objects {
		if err := a.Pods.Object(object); err != nil {
			return fmt.Errorf("sign %T: %w", object, err)
		}
	}
	parts, err := documents(objects...)
	if err != nil {
		return err
	}
	return a.resourceNamed(cp, seedName).Apply(ctx, parts)
}

// replicas are none while the Shoot sleeps, which one that is being deleted does not.
func replicas(cluster *contract.Cluster) int32 {
	switch {
	case cluster.Hibernated() && cluster.Shoot.DeletionTimestamp == nil:
		return 0
	case tolerant(cluster):
		return 2
	}
	return 1
}

func tolerant(cluster *contract.Cluster) bool { return helper.FailureTolerance(cluster.Shoot) != "" }

// access asks the resource manager of the Shoot for a token.
func (a *Actuator) access(ctx context.Context, namespace string) error {
	secret := deploy.Access(namespace)
	labels, annotations := secret.Labels, secret.Annotations
	if _, err := controllerutil.CreateOrUpdate(ctx, a.Client, secret, func() error {
		for key, value := range labels {
			metav1.SetMetaDataLabel(&secret.ObjectMeta, key, value)
		}
		for key, value := range annotations {
			metav1.SetMetaDataAnnotation(&secret.ObjectMeta, key, value)
		}
		return nil
	}); err != nil {
		return fmt.Errorf("write secret %s: %w", secret.Name, err)
	}
	return nil
}

// stopped removes the cloud controller from the seed. It returns a contract.Waiting until that is done.
func (a *Actuator) stopped(ctx context.Context, cp *extensionsv1alpha1.ControlPlane) error {
	if err := a.resourceNamed(cp, seedName).Delete(ctx); err != nil {
		return err
	}
	if err := a.Client.Delete(ctx, deploy.Access(cp.Namespace)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete secret of the cloud controller: %w", err)
	}
	return nil
}

func (a *Actuator) resourceNamed(cp *extensionsv1alpha1.ControlPlane, name string) managed.Resource {
	resource := managed.Resource{Client: a.Client, Namespace: cp.Namespace, Name: name}
	if name == seedName {
		resource.Class = managed.ClassSeed
	}
	return resource
}

// documents encodes objects, without fields that only a server fills in.
func documents(objects ...client.Object) (map[string][]byte, error) {
	var all []byte
	for _, object := range objects {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
		if err != nil {
			return nil, fmt.Errorf("encode %T: %w", object, err)
		}
		delete(content, "status")
		text, err := yaml.Marshal(content)
		if err != nil {
			return nil, fmt.Errorf("encode %T: %w", object, err)
		}
		all = append(append(all, "---\n"...), text...)
	}
	return map[string][]byte{objectsKey: all}, nil
}
