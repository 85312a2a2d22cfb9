// Package references records in annotations which Secrets and ConfigMaps a workload uses, so that the garbage collector
// keeps them: reference.resources.gardener.cloud/secret-<hash> or configmap-<hash>, with the name as value.
//
// It is pure. Any package that builds workloads may import it.
package references

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Kinds of referenced objects, as the annotations spell them.
const (
	KindSecret    = "secret"
	KindConfigMap = "configmap"
)

const prefix = "reference.resources.gardener.cloud/"

// Key returns the annotation for an object of the kind. It ends with eight hexadecimal digits of the SHA-256 of the
// name.
func Key(kind, name string) string {
	sum := sha256.Sum256([]byte(name))
	return prefix + kind + "-" + hex.EncodeToString(sum[:])[:8]
}

// Parse returns kind and name of the object that an annotation refers to.
func Parse(key, value string) (kind, name string, ok bool) {
	rest, found := strings.CutPrefix(key, prefix)
	if !found || value == "" {
		return "", "", false
	}
	for _, kind := range []string{KindSecret, KindConfigMap} {
		if strings.HasPrefix(rest, kind+"-") {
			return kind, value, true
		}
	}
	return "", "", false
}

// InjectAnnotations adds annotations for every Secret and ConfigMap that the pods of the object use, to the object and
// to all its pod templates. It leaves objects without pods unchanged.
func InjectAnnotations(object runtime.Object) {
	found := map[string]string{}
	owner, ok := object.(client.Object)
	if !ok {
		return
	}
	spec, templates := podSpec(object)
	if spec == nil {
		return
	}
	collect(spec, found)
	owner.SetAnnotations(labels.Merge(owner.GetAnnotations(), found))
	for _, template := range templates {
		*template = labels.Merge(*template, found)
	}
}

// podSpec finds the pod spec and the annotations of the templates around it.
func podSpec(object runtime.Object) (*corev1.PodSpec, []*map[string]string) {
	of := func(t *corev1.PodTemplateSpec) (*corev1.PodSpec, []*map[string]string) {
		return &t.Spec, []*map[string]string{&t.Annotations}
	}
	switch o := object.(type) {
	case *corev1.Pod:
		return &o.Spec, nil
	case *appsv1.Deployment:
		return of(&o.Spec.Template)
	case *appsv1.StatefulSet:
		return of(&o.Spec.Template)
	case *appsv1.DaemonSet:
		return of(&o.Spec.Template)
	case *batchv1.Job:
		return of(&o.Spec.Template)
	case *batchv1.CronJob:
		spec, templates := of(&o.Spec.JobTemplate.Spec.Template)
		return spec, append(templates, &o.Spec.JobTemplate.Annotations)
	}
	return nil, nil
}
