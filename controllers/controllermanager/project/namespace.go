package project

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Labels and annotations of the namespace of a project.
const (
	labelRole                 = "gardener.cloud/role"
	roleProject               = "project"
	labelProjectName          = "project.gardener.cloud/name"
	annotationProject         = "namespace.gardener.cloud/project" // UID of the Project
	annotationKeep            = "namespace.gardener.cloud/keep-after-project-deletion"
	annotationCreatedByUs     = "namespace.gardener.cloud/created-by-project-controller"
	annotationTrue            = "true"
	namespacePrefix           = "garden-"
	lengthOfNamespaceIdentity = 5
)

// NamespaceName returns the namespace from the spec of the project, or else one derived from its name and UID.
func NamespaceName(project *gardencorev1beta1.Project) string {
	if project.Spec.Namespace != nil && *project.Spec.Namespace != "" {
		return *project.Spec.Namespace
	}
	sum := sha256.Sum256([]byte(project.UID))
	return namespacePrefix + project.Name + "-" + hex.EncodeToString(sum[:])[:lengthOfNamespaceIdentity]
}

// DesiredNamespace returns the desired namespace of the project, given the existing one, which may be nil. A namespace
// without a project is adopted only if its labels name this project; an adopted namespace outlives the project. The
// error says why a namespace cannot be used.
func DesiredNamespace(project *gardencorev1beta1.Project, existing *corev1.Namespace) (*corev1.Namespace, error) {
	desired := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: NamespaceName(project)}}
	annotations := map[string]string{annotationProject: string(project.UID)}
	if existing == nil {
		annotations[annotationCreatedByUs] = annotationTrue
	} else {
		owner, owned := existing.Annotations[annotationProject]
		switch {
		case existing.DeletionTimestamp != nil:
			return nil, fmt.Errorf("namespace %q is being deleted", existing.Name)
		case owned && owner != string(project.UID):
			return nil, fmt.Errorf("namespace %q belongs to another project", existing.Name)
		case !owned && !meantFor(existing, project.Name):
			return nil, fmt.Errorf("namespace %q exists and is not labelled %s=%s and %s=%s",
				existing.Name, labelRole, roleProject, labelProjectName, project.Name)
		case !owned:
			annotations[annotationKeep] = annotationTrue
		}
		desired = existing.DeepCopy()
	}
	setAll(&desired.Labels, map[string]string{labelRole: roleProject, labelProjectName: project.Name})
	setAll(&desired.Annotations, annotations)
	setOwner(desired, project)
	return desired, nil
}

// ReleasedNamespace is the namespace without the labels and annotations of a project.
func ReleasedNamespace(existing *corev1.Namespace, project *gardencorev1beta1.Project) *corev1.Namespace {
	released := existing.DeepCopy()
	for _, label := range []string{labelRole, labelProjectName} {
		delete(released.Labels, label)
	}
	for _, annotation := range []string{annotationProject, annotationKeep, annotationCreatedByUs} {
		delete(released.Annotations, annotation)
	}
	released.OwnerReferences = nil
	for _, owner := range existing.OwnerReferences {
		if owner.UID != project.UID {
			released.OwnerReferences = append(released.OwnerReferences, owner)
		}
	}
	return released
}

// Keep reports whether the namespace outlives its project.
func Keep(namespace *corev1.Namespace) bool {
	return namespace.Annotations[annotationKeep] == annotationTrue
}

func meantFor(namespace *corev1.Namespace, project string) bool {
	return namespace.Labels[labelRole] == roleProject && namespace.Labels[labelProjectName] == project
}

func setAll(target *map[string]string, values map[string]string) {
	if *target == nil {
		*target = map[string]string{}
	}
	maps.Copy(*target, values)
}

func setOwner(namespace *corev1.Namespace, project *gardencorev1beta1.Project) {
	wanted := ownerReference(project)
	for i := range namespace.OwnerReferences {
		if namespace.OwnerReferences[i].UID == project.UID {
			namespace.OwnerReferences[i] = wanted
			return
		}
	}
	namespace.OwnerReferences = append(namespace.OwnerReferences, wanted)
}

func ownerReference(project *gardencorev1beta1.Project) metav1.OwnerReference {
	return *metav1.NewControllerRef(project, gardencorev1beta1.SchemeGroupVersion.WithKind("Project"))
}
