// Package integration tests the host of Gardens against a real API server. It plays the controllers that act on what the host writes.
package integration

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/crds"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/testenv"
)

const namespace = "garden"

var (
	env     *testenv.Env
	cluster client.WithWatch // of an administrator, without a cache
)

func TestMain(m *testing.M) {
	definitions, err := definitions()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	testenv.Main(m, testenv.Options{CRDs: definitions}, func(e *testenv.Env) {
		env = e
		if err := setUp(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			e.Stop()
			os.Exit(1)
		}
	})
}

func definitions() ([]*apiextensionsv1.CustomResourceDefinition, error) {
	resources, err := crds.Resources()
	if err != nil {
		return nil, err
	}
	druid, err := crds.Druid()
	return slices.Concat(resources, druid), err
}

func setUp() error {
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		return err
	}
	var err error
	if cluster, err = client.NewWithWatch(env.Config, client.Options{Scheme: scheme}); err != nil {
		return err
	}
	return cluster.Create(context.Background(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}})
}

// play plays the controllers until the test ends: every Deployment is rolled out, every Etcd is ready, and so on.
func play(t *testing.T) {
	for _, list := range []client.ObjectList{&appsv1.DeploymentList{}, &appsv1.StatefulSetList{}, &druidv1alpha1.EtcdList{}, &resourcesv1alpha1.ManagedResourceList{}, &corev1.NamespaceList{}} {
		watcher, err := cluster.Watch(t.Context(), list)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(watcher.Stop)
		go func() {
			for event := range watcher.ResultChan() {
				if object, ok := event.Object.(client.Object); ok {
					react(t.Context(), object)
				}
			}
		}()
	}
}

// react ignores errors: an object that has changed meanwhile, or is gone, has a later event.
func react(ctx context.Context, object client.Object) {
	if namespace, ok := object.(*corev1.Namespace); ok {
		empty(ctx, namespace)
		return
	}
	if object.GetDeletionTimestamp() != nil {
		if controllerutil.RemoveFinalizer(object, metav1.FinalizerDeleteDependents) {
			_ = cluster.Update(ctx, object)
		}
		return
	}
	before := object.DeepCopyObject().(client.Object)
	switch object := object.(type) {
	case *appsv1.Deployment:
		replicas := ptr.Deref(object.Spec.Replicas, 1)
		object.Status = appsv1.DeploymentStatus{ObservedGeneration: object.Generation, Replicas: replicas, ReadyReplicas: replicas, UpdatedReplicas: replicas, AvailableReplicas: replicas}
	case *appsv1.StatefulSet:
		replicas := ptr.Deref(object.Spec.Replicas, 1)
		object.Status = appsv1.StatefulSetStatus{ObservedGeneration: object.Generation, Replicas: replicas, ReadyReplicas: replicas}
	case *druidv1alpha1.Etcd:
		if object.Annotations["gardener.cloud/operation"] != "" {
			delete(object.Annotations, "gardener.cloud/operation")
			_ = cluster.Patch(ctx, object, client.MergeFrom(before))
			return
		}
		object.Status.ObservedGeneration, object.Status.Ready = &object.Generation, ptr.To(true)
	case *resourcesv1alpha1.ManagedResource:
		if object.Status.ObservedGeneration == object.Generation {
			return
		}
		object.Status.ObservedGeneration, object.Status.Conditions = object.Generation, nil
		for _, kind := range []gardencorev1beta1.ConditionType{resourcesv1alpha1.ResourcesApplied, resourcesv1alpha1.ResourcesHealthy} {
			object.Status.Conditions = append(object.Status.Conditions, gardencorev1beta1.Condition{
				Type: kind, Status: gardencorev1beta1.ConditionTrue, Reason: "Played", Message: "by the test",
				LastTransitionTime: metav1.Now(), LastUpdateTime: metav1.Now(),
			})
		}
	}
	_ = cluster.Status().Patch(ctx, object, client.MergeFrom(before))
}

// empty plays the controller of namespaces: it deletes the Deployments of one that is being deleted, and then lets it go.
func empty(ctx context.Context, namespace *corev1.Namespace) {
	if namespace.DeletionTimestamp == nil {
		return
	}
	_ = cluster.DeleteAllOf(ctx, &appsv1.Deployment{}, client.InNamespace(namespace.Name))
	if controllerutil.RemoveFinalizer(namespace, metav1.FinalizerDeleteDependents) {
		_ = cluster.Update(ctx, namespace)
	}
	namespace.Spec.Finalizers = nil
	_ = cluster.SubResource("finalize").Update(ctx, namespace)
}
