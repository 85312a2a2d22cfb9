package controllerinstallation

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/references"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// Variables that containers of extensions get, and the volume behind the first one.
const (
	gardenVariable = "GARDEN_KUBECONFIG" // path of a kubeconfig
	seedVariable   = "SEED_NAME"
	gardenVolume   = "garden-kubeconfig"
)

// templates are the places of pod templates in the kinds of workloads.
var templates = map[schema.GroupKind][]string{
	{Group: "apps", Kind: "Deployment"}:  {"spec", "template"},
	{Group: "apps", Kind: "StatefulSet"}: {"spec", "template"},
	{Group: "apps", Kind: "DaemonSet"}:   {"spec", "template"},
	{Group: "batch", Kind: "Job"}:        {"spec", "template"},
	{Group: "batch", Kind: "CronJob"}:    {"spec", "jobTemplate", "spec", "template"},
}

// jobKind is the kind of workload whose template cannot be changed.
var jobKind = schema.GroupKind{Group: "batch", Kind: "Job"}

// renewJobs lets the resource manager delete a Job of the chart and make it anew where its template changes, for example because the
// deployment begins to refuse the access to the garden. Otherwise the update would fail forever. A chart may decide otherwise.
func renewJobs(objects []*unstructured.Unstructured, namespace string) {
	for _, object := range objects {
		if in := object.GetNamespace(); object.GroupVersionKind().GroupKind() != jobKind || in != "" && in != namespace {
			continue
		}
		annotations := object.GetAnnotations()
		if _, decided := annotations[resourcesv1alpha1.DeleteOnInvalidUpdate]; decided {
			continue
		}
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[resourcesv1alpha1.DeleteOnInvalidUpdate] = "true"
		object.SetAnnotations(annotations)
	}
}

// injectGarden gives all containers of the workloads in the namespace of the chart the access to the garden, whose Secrets are there. A
// container with a variable of that name keeps its own. Objects that are no workloads, or are not shaped like one, stay as they are: the API
// server judges them.
func injectGarden(objects []*unstructured.Unstructured, access gardenAccess, seed string) {
	for _, object := range objects {
		path, is := templates[object.GroupVersionKind().GroupKind()]
		if namespace := object.GetNamespace(); !is || namespace != "" && namespace != access.token.Namespace {
			continue
		}
		template, found, err := unstructured.NestedMap(object.Object, path...)
		if err != nil || !found {
			continue
		}
		kubeconfig := access.kubeconfig
		if object.GroupVersionKind().GroupKind() == jobKind {
			kubeconfig = access.jobKubeconfig
		}
		if !injectTemplate(template, volume(kubeconfig, access.token), seed) {
			continue
		}
		if kubeconfig == access.kubeconfig && !refer(template, kubeconfig) {
			continue
		}
		_ = unstructured.SetNestedMap(object.Object, template, path...) // it was there
	}
}

// injectTemplate reports whether it changed the template.
func injectTemplate(template, volume map[string]any, seed string) bool {
	spec, found, err := unstructured.NestedMap(template, "spec")
	if err != nil || !found {
		return false
	}
	volumes, _, err := unstructured.NestedSlice(spec, "volumes")
	if err != nil || slices.ContainsFunc(volumes, func(volume any) bool { return nameOf(volume) == gardenVolume }) {
		return false
	}
	for _, list := range []string{"initContainers", "containers"} {
		containers, found, err := unstructured.NestedSlice(spec, list)
		if err != nil {
			return false
		}
		if !found {
			continue
		}
		for i := range containers {
			if container, is := containers[i].(map[string]any); is {
				injectContainer(container, seed)
			}
		}
		spec[list] = containers
	}
	spec["volumes"] = append(volumes, volume)
	template["spec"] = spec
	return true
}

// refer tells the garbage collector that pods use the Secret, whose name depends on its content. It reports whether it could.
func refer(template map[string]any, secret *corev1.Secret) bool {
	annotations, _, err := unstructured.NestedMap(template, "metadata", "annotations")
	if err != nil {
		return false
	}
	if annotations == nil {
		annotations = map[string]any{}
	}
	annotations[references.Key(references.KindSecret, secret.Name)] = secret.Name
	return unstructured.SetNestedMap(template, annotations, "metadata", "annotations") == nil
}

func injectContainer(container map[string]any, seed string) {
	env, _, err := unstructured.NestedSlice(container, "env")
	if err != nil {
		return
	}
	has := func(name string) bool { return slices.ContainsFunc(env, func(v any) bool { return nameOf(v) == name }) }
	if !has(seedVariable) {
		env = append(env, map[string]any{"name": seedVariable, "value": seed})
	}
	mounts, _, err := unstructured.NestedSlice(container, "volumeMounts")
	if err == nil && !has(gardenVariable) {
		env = append(env, map[string]any{"name": gardenVariable, "value": gardenDirectory + "/kubeconfig"})
		container["volumeMounts"] = append(mounts, map[string]any{"name": gardenVolume, "mountPath": gardenDirectory, "readOnly": true})
	}
	container["env"] = env
}

// volume has the kubeconfig and, beside it, the token.
func volume(kubeconfig, token *corev1.Secret) map[string]any {
	source := func(secret, key string) map[string]any {
		return map[string]any{"secret": map[string]any{
			"name": secret, "optional": false, "items": []any{map[string]any{"key": key, "path": key}},
		}}
	}
	return map[string]any{"name": gardenVolume, "projected": map[string]any{
		"sources": []any{source(kubeconfig.Name, "kubeconfig"), source(token.Name, "token")},
	}}
}

func nameOf(entry any) string {
	object, is := entry.(map[string]any)
	if !is {
		return ""
	}
	name, _ := object["name"].(string)
	return name
}
