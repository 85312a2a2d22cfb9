package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

const limit = 10 * time.Minute // time limit of any wait

// waitApplied waits until all ManagedResources report that their objects are applied and healthy. It watches, since
// repeated lists of thousands of objects would distort the measurement.
func (b *bench) waitApplied(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	w, err := b.client.Watch(ctx, &resourcesv1alpha1.ManagedResourceList{}, client.InNamespace(sourceNamespace))
	if err != nil {
		return err
	}
	defer w.Stop()
	healthy := map[string]bool{}
	for event := range w.ResultChan() {
		item, ok := event.Object.(*resourcesv1alpha1.ManagedResource)
		if !ok {
			return fmt.Errorf("watch of ManagedResources: %v", event.Object)
		}
		for _, condition := range item.Status.Conditions {
			if condition.Type == resourcesv1alpha1.ResourcesHealthy && condition.Status == "True" {
				healthy[item.Name] = true
			}
		}
		if len(healthy) == b.resources {
			return nil
		}
	}
	return fmt.Errorf("only %d ManagedResources are applied after %s", len(healthy), limit)
}

// countWrites counts the writes to all objects of the benchmark for a while.
func (b *bench) countWrites(ctx context.Context) (int, error) {
	time.Sleep(5 * time.Second) // the last status is written
	events := make(chan string)
	for _, list := range []client.ObjectList{
		&corev1.ConfigMapList{}, &corev1.SecretList{}, &corev1.ServiceAccountList{}, &rbacv1.RoleList{}, &resourcesv1alpha1.ManagedResourceList{},
	} {
		if err := b.client.List(ctx, list, client.Limit(1)); err != nil {
			return 0, err
		}
		w, err := b.client.Watch(ctx, list, &client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: list.GetResourceVersion()}})
		if err != nil {
			return 0, err
		}
		defer w.Stop()
		go func() {
			for event := range w.ResultChan() {
				if event.Type != watch.Bookmark {
					events <- fmt.Sprintf("%T", event.Object)
				}
			}
		}()
	}
	writes := 0
	for end := time.After(b.quiet); ; {
		select {
		case <-events:
			writes++
		case <-end:
			return writes, nil
		}
	}
}

// repair changes one object after the other and returns the longest time until the change was reverted.
func (b *bench) repair(ctx context.Context) (slowest time.Duration, err error) {
	for i := range min(10, b.resources) {
		object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: targetNamespace, Name: fmt.Sprintf("r%04d-0", i)}}
		begin := time.Now()
		if err := b.client.Patch(ctx, object, client.RawPatch("application/merge-patch+json", []byte(`{"data":{"key":"changed"}}`))); err != nil {
			return 0, err
		}
		for object.Data["key"] != "value" {
			if time.Since(begin) > limit {
				return 0, fmt.Errorf("object %s is not repaired after %s", object.Name, limit)
			}
			time.Sleep(10 * time.Millisecond)
			if err := b.client.Get(ctx, client.ObjectKeyFromObject(object), object); err != nil {
				return 0, err
			}
		}
		slowest = max(slowest, time.Since(begin))
	}
	return slowest, nil
}

// kubectl applies the same objects in their own namespace.
func (b *bench) kubectl(ctx context.Context) (time.Duration, error) {
	dir, err := os.MkdirTemp("", "managedresources")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for i := range b.resources {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("r%04d.yaml", i)), []byte(b.manifests(i, peerNamespace)), 0o600); err != nil {
			return 0, err
		}
	}
	cmd := exec.CommandContext(ctx, b.binary, "kubectl", "--kubeconfig", b.env.Kubeconfig, "apply", "--server-side", "-f", dir)
	begin := time.Now()
	if output, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("kubectl: %w\n%.2000s", err, output)
	}
	return time.Since(begin), nil
}
