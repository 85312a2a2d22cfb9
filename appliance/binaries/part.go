package binaries

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/pager"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/loop"
	"github.com/gardener-up/gardener-up/embedded/self"
)

const (
	// PartName is the name of the part.
	PartName = "binaries"
	// sweepPeriod is how often unused versions are looked for. They only take room on the disk.
	sweepPeriod = time.Hour
)

// Part keeps this binary, and removes versions that no pod of the cluster needs any more. A disk that is too full for the copy does
// not stop a landscape: control planes then move to the next version earlier than they should.
func (b Binaries) Part(after string, cluster *rest.Config, log logr.Logger) component.Part {
	return component.Part{After: []string{after}, Restart: true, Component: loop.New(PartName, func(ctx context.Context) error {
		path, err := self.Path()
		if err == nil {
			err = b.Keep(path)
		}
		if err != nil {
			log.Info("This binary could not be kept: after an upgrade all control planes of shoots take the new one at once", "reason", err.Error())
		}
		c, err := kubernetes.NewForConfig(cluster)
		if err != nil {
			return err
		}
		for {
			b.sweep(ctx, c, log)
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(sweepPeriod):
			}
		}
	}, nil)}
}

// sweep removes nothing if it cannot tell what is needed. It is repeated.
func (b Binaries) sweep(ctx context.Context, c kubernetes.Interface, log logr.Logger) {
	images, err := imagesIn(ctx, c)
	if err != nil {
		log.V(1).Info("Unused binaries stay", "reason", err.Error())
		return
	}
	removed, err := b.Sweep(images)
	if len(removed) > 0 {
		log.Info("Removed binaries that no pod needs", "versions", removed)
	}
	if err != nil {
		log.Info("Unused binaries stay", "reason", err.Error())
	}
}

// imagesIn lists the images of all pods in a cluster, and of the pods that its workloads may make.
func imagesIn(ctx context.Context, c kubernetes.Interface) ([]string, error) {
	var images []string
	add := func(spec *corev1.PodSpec) {
		for _, containers := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
			for i := range containers {
				images = append(images, containers[i].Image)
			}
		}
	}
	each := func(what string, list pager.ListPageFunc) error {
		err := pager.New(list).EachListItem(ctx, metav1.ListOptions{}, func(object runtime.Object) error {
			add(podSpec(object))
			return nil
		})
		if err != nil {
			return fmt.Errorf("list %s: %w", what, err)
		}
		return nil
	}
	return images, errors.Join(
		each("pods", func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return c.CoreV1().Pods("").List(ctx, o)
		}),
		each("deployments", func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return c.AppsV1().Deployments("").List(ctx, o)
		}),
		each("stateful sets", func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return c.AppsV1().StatefulSets("").List(ctx, o)
		}))
}

func podSpec(object runtime.Object) *corev1.PodSpec {
	switch o := object.(type) {
	case *corev1.Pod:
		return &o.Spec
	case *appsv1.Deployment:
		return &o.Spec.Template.Spec
	case *appsv1.StatefulSet:
		return &o.Spec.Template.Spec
	}
	return &corev1.PodSpec{}
}
