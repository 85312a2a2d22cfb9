package main

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// Namespaces of the ManagedResources, of the objects they describe, and of the same objects for kubectl.
const (
	sourceNamespace = "bench-source"
	targetNamespace = "bench-target"
	peerNamespace   = "bench-peer"
)

// manifests are the objects of one ManagedResource: several kinds, about half a KiB each.
func (b *bench) manifests(resource int, namespace string) string {
	var content strings.Builder
	for i := range b.objects {
		name := fmt.Sprintf("r%04d-%d", resource, i)
		fmt.Fprintf(&content, "---\napiVersion: %s\nkind: %s\nmetadata: {name: %s, namespace: %s, labels: {app: bench}}\n", version(i), kind(i), name, namespace)
		switch kind(i) {
		case "ConfigMap":
			fmt.Fprintf(&content, "data: {key: value, text: %q}\n", strings.Repeat(name, 40))
		case "Role":
			content.WriteString("rules: [{apiGroups: [''], resources: [pods], verbs: [get, list, watch]}]\n")
		}
	}
	return content.String()
}

func kind(i int) string {
	return []string{"ConfigMap", "ConfigMap", "ServiceAccount", "Role", "ConfigMap"}[i%5]
}

func version(i int) string {
	if kind(i) == "Role" {
		return "rbac.authorization.k8s.io/v1"
	}
	return "v1"
}

func (b *bench) createResources(ctx context.Context) error {
	for _, name := range []string{sourceNamespace, targetNamespace, peerNamespace} {
		if err := b.client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
			return err
		}
	}
	for i := range b.resources {
		meta := metav1.ObjectMeta{Namespace: sourceNamespace, Name: fmt.Sprintf("r%04d", i)}
		for _, object := range []client.Object{
			&corev1.Secret{ObjectMeta: meta, Data: map[string][]byte{"objects.yaml": []byte(b.manifests(i, targetNamespace))}},
			&resourcesv1alpha1.ManagedResource{ObjectMeta: meta, Spec: resourcesv1alpha1.ManagedResourceSpec{SecretRefs: []corev1.LocalObjectReference{{Name: meta.Name}}}},
		} {
			if err := b.client.Create(ctx, object); err != nil {
				return err
			}
		}
	}
	return nil
}
