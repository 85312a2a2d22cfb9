// Package monitoring deploys the Prometheus of a shoot.
package monitoring

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/prometheus"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// Monitoring is the Prometheus of a shoot.
type Monitoring struct {
	Shoot *gardencorev1beta1.Shoot
	Space seed.Space
	// Enabled is whether the seed monitors its shoots.
	Enabled bool
	// Tunnelled is whether nodes are outside of the network of the seed; others are embedded.
	Tunnelled bool
	Replicas  int32
	Members   int32 // of each etcd
}

// Wanted reports whether a shoot has a Prometheus where the seed monitors shoots.
func Wanted(shoot *gardencorev1beta1.Shoot) bool {
	return ptr.Deref(shoot.Spec.Purpose, "") != gardencorev1beta1.ShootPurposeTesting
}

// Reconcile deploys the Prometheus, or removes it. It does not wait until the Prometheus runs: nothing depends on it.
func (m Monitoring) Reconcile(ctx context.Context, made credentials.Made) error {
	if !m.Enabled || !Wanted(m.Shoot) {
		return m.Delete(ctx)
	}
	secrets, err := prometheus.GenerateSecrets(ctx, made.Manager)
	if err != nil {
		return err
	}
	if err := m.Space.DeployManaged(ctx, prometheus.Resource, false, prometheus.ShootObjects()...); err != nil { // first, see Delete
		return err
	}
	access := prometheus.Access(m.Space.Name)
	if err := m.Space.ApplyAll(ctx, access); err != nil {
		return err
	}
	if err := m.awaitToken(ctx, access); err != nil { // otherwise the node would mount a Secret without it, and look again a minute later
		return err
	}
	objects, _, err := prometheus.Objects(prometheus.Values{
		Namespace: m.Space.Name, Cluster: "shoot/" + m.Shoot.Namespace + "/" + m.Shoot.Name, Image: m.Space.Image, Replicas: m.Replicas, Members: m.Members,
		Workerless: helper.IsWorkerless(m.Shoot), CoreDNS: m.Tunnelled && !helper.IsWorkerless(m.Shoot), Secrets: secrets,
	})
	if err != nil {
		return err
	}
	return m.Space.ApplyAll(ctx, objects...)
}

func (m Monitoring) awaitToken(ctx context.Context, access *corev1.Secret) error {
	return await.Poll(ctx, func() error {
		secret := &corev1.Secret{}
		if err := m.Space.Client.Get(ctx, client.ObjectKeyFromObject(access), secret); err != nil {
			return fmt.Errorf("read the access of the Prometheus: %w", err)
		}
		if len(secret.Data[constants.DataKeyToken]) == 0 {
			return errors.New("the Prometheus has no token of the shoot yet")
		}
		return nil
	})
}

// Stop stops the Prometheus of a shoot that is being hibernated. What it has stored is lost.
func (m Monitoring) Stop(ctx context.Context) error {
	patch := client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"replicas":0}}`))
	if err := m.Space.Client.Patch(ctx, m.set(), patch, seed.Owner); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("stop the Prometheus: %w", err)
	}
	return nil
}

// Delete removes the Prometheus, its configuration and its access. The ManagedResource is the last, since it tells whether there is something to
// remove: most shoots have nothing.
func (m Monitoring) Delete(ctx context.Context) error {
	resource := &resourcesv1alpha1.ManagedResource{ObjectMeta: metav1.ObjectMeta{Name: prometheus.Resource, Namespace: m.Space.Name}}
	if err := m.Space.Client.Get(ctx, client.ObjectKeyFromObject(resource), resource); apierrors.IsNotFound(err) {
		return nil
	} else if err != nil {
		return fmt.Errorf("read managed resource %q: %w", resource.Name, err)
	}
	objects, _, err := prometheus.Objects(prometheus.Values{Namespace: m.Space.Name})
	if err != nil {
		return err
	}
	if err := m.Space.Delete(ctx, append([]client.Object{prometheus.Access(m.Space.Name)}, objects...)...); err != nil {
		return err
	}
	return m.Space.DeleteManaged(ctx, prometheus.Resource)
}

func (m Monitoring) set() *appsv1.StatefulSet {
	return &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: prometheus.Shoot, Namespace: m.Space.Name}}
}
