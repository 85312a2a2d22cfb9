package worker

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/local/machine"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// deployClass writes the class and the user data of a group. Machines need both.
func (a *Actuator) deployClass(ctx context.Context, g group, cluster *contract.Cluster, worker *extensionsv1alpha1.Worker) error {
	userData, err := a.userData(ctx, worker.Namespace, g.pool.UserDataSecretRef)
	if err != nil {
		return err
	}
	credentials, err := credentialsOf(ctx, a.Client, worker.Spec.SecretRef)
	if err != nil {
		return err
	}
	spec, err := machineSpec(g, worker.Namespace, a.Image, a.Pods)
	if err != nil {
		return err
	}
	class := &v1alpha1.MachineClass{ObjectMeta: metav1.ObjectMeta{Namespace: worker.Namespace, Name: g.class}}
	if _, err := controllerutil.CreateOrUpdate(ctx, a.Client, class, func() error {
		fillClass(class, g, worker, cluster, spec)
		return nil
	}); err != nil {
		return fmt.Errorf("write machine class %s: %w", g.class, err)
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: worker.Namespace, Name: g.class}}
	if _, err := controllerutil.CreateOrUpdate(ctx, a.Client, secret, func() error {
		fillSecret(secret, credentials, userData)
		return controllerutil.SetOwnerReference(class, secret, a.Client.Scheme()) // deleted together with the class
	}); err != nil {
		return fmt.Errorf("write secret of machine class %s: %w", g.class, err)
	}
	if a.Machines != api.Containers {
		if err := machine.Refresh(ctx, a.Reader, a.Client, worker.Namespace, g.class, userData); err != nil {
			return err
		}
	}
	return nil
}

// deploy writes the deployment of a group.
func (a *Actuator) deploy(ctx context.Context, g group, cluster *contract.Cluster, worker *extensionsv1alpha1.Worker, saved state) (*v1alpha1.MachineDeployment, error) {
	deployment := &v1alpha1.MachineDeployment{ObjectMeta: metav1.ObjectMeta{Namespace: worker.Namespace, Name: g.name}}
	if _, err := controllerutil.CreateOrUpdate(ctx, a.Client, deployment, func() error {
		var existing *int32
		if deployment.ResourceVersion != "" {
			current := deployment.Spec.Replicas
			existing = &current
		}
		fillDeployment(deployment, g, worker.Spec.Region)
		deployment.Spec.Replicas = replicas(g, existing, saved.replicas(g.name), cluster.Hibernated())
		return nil
	}); err != nil {
		return nil, fmt.Errorf("write machine deployment %s: %w", g.name, err)
	}
	return deployment, nil
}

func (a *Actuator) userData(ctx context.Context, namespace string, ref corev1.SecretKeySelector) ([]byte, error) {
	secret := &corev1.Secret{}
	if err := a.Reader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: ref.Name}, secret); apierrors.IsNotFound(err) {
		return nil, contract.Waiting{For: "user data in secret " + ref.Name}
	} else if err != nil {
		return nil, fmt.Errorf("read user data: %w", err)
	}
	data, ok := secret.Data[ref.Key]
	if !ok {
		return nil, contract.Waiting{For: fmt.Sprintf("user data in key %s of secret %s", ref.Key, ref.Name)}
	}
	return data, nil
}
