// Package dependency derives edges of the graph of package graph from the objects of the garden.
//
// An object adds edges only because of fields that the gardenlet of another seed cannot write. A gardenlet could write references
// into objects of its own seed, and so gain access to other objects. Package seedrestriction prevents that.
package dependency

import (
	"encoding/json"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/graph"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	operationsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operations/v1alpha1"
	securityv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
	seedmanagementv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
)

// Kinds returns an empty object of each kind that adds edges.
func Kinds() []client.Object {
	return []client.Object{
		&gardencorev1beta1.Seed{}, &gardencorev1beta1.Shoot{}, &gardencorev1beta1.Project{},
		&gardencorev1beta1.BackupBucket{}, &gardencorev1beta1.BackupEntry{}, &gardencorev1beta1.ControllerInstallation{},
		&gardencorev1beta1.ControllerDeployment{},
		&gardencorev1beta1.SecretBinding{}, &securityv1alpha1.CredentialsBinding{}, &operationsv1alpha1.Bastion{},
		&seedmanagementv1alpha1.ManagedSeed{}, &seedmanagementv1alpha1.Gardenlet{}, &certificatesv1.CertificateSigningRequest{},
	}
}

// Of returns the vertex of an object and the edges that it adds. Kind is empty for other kinds than those of Kinds.
func Of(object client.Object) (graph.Vertex, []graph.Edge) {
	v := graph.Vertex{Namespace: object.GetNamespace(), Name: object.GetName()}
	var e edges
	switch o := object.(type) {
	case *gardencorev1beta1.Seed:
		v.Kind = graph.Seed
		e.seed(v, o)
	case *gardencorev1beta1.Shoot:
		v.Kind = graph.Shoot
		e.shoot(v, o)
	case *gardencorev1beta1.Project:
		v.Kind = graph.Project
		if o.Spec.Namespace != nil {
			e.add(v, graph.Vertex{Kind: graph.Namespace, Name: *o.Spec.Namespace})
		}
	case *gardencorev1beta1.BackupBucket:
		v.Kind = graph.BackupBucket
		e.bucket(v, o)
	case *gardencorev1beta1.BackupEntry:
		v.Kind = graph.BackupEntry
		e.entry(v, o)
	case *gardencorev1beta1.ControllerInstallation:
		v.Kind = graph.ControllerInstallation
		if o.Spec.SeedRef != nil {
			e.toSeed(v, &o.Spec.SeedRef.Name)
		}
		if o.Spec.DeploymentRef != nil {
			e.add(graph.Vertex{Kind: graph.ControllerDeployment, Name: o.Spec.DeploymentRef.Name}, v)
		}
	case *gardencorev1beta1.ControllerDeployment:
		v.Kind = graph.ControllerDeployment
		e.deployment(v, o)
	case *gardencorev1beta1.SecretBinding:
		v.Kind = graph.SecretBinding
		e.secret(o.SecretRef.Namespace, o.SecretRef.Name, v)
	case *securityv1alpha1.CredentialsBinding:
		v.Kind = graph.CredentialsBinding
		e.credentials(&o.CredentialsRef, v)
	case *operationsv1alpha1.Bastion:
		v.Kind = graph.Bastion
		e.toSeed(v, o.Spec.SeedName)
	case *seedmanagementv1alpha1.ManagedSeed:
		v.Kind = graph.ManagedSeed
		e.managedSeed(v, o)
	case *seedmanagementv1alpha1.Gardenlet:
		v.Kind = graph.Gardenlet
		e.toSeed(v, &o.Name)
	case *certificatesv1.CertificateSigningRequest:
		v.Kind = graph.CertificateSigningRequest
		e.request(v, o)
	}
	return v, e
}

// edges collects edges.
type edges []graph.Edge

func (e *edges) add(from, to graph.Vertex) {
	if from.Name != "" && to.Name != "" {
		*e = append(*e, graph.Edge{From: from, To: to})
	}
}

func (e *edges) toSeed(from graph.Vertex, seed *string) {
	if seed != nil {
		e.add(from, graph.Vertex{Kind: graph.Seed, Name: *seed})
	}
}

// deployment adds the Secrets that say how to reach the registry with the chart.
func (e *edges) deployment(v graph.Vertex, deployment *gardencorev1beta1.ControllerDeployment) {
	var chart struct {
		OCIRepository *core.OCIRepository `json:"ociRepository"`
	}
	if deployment.Type != gardencorev1beta1.ControllerDeploymentTypeHelm || json.Unmarshal(deployment.ProviderConfig.Raw, &chart) != nil || chart.OCIRepository == nil {
		return
	}
	for _, ref := range []*corev1.LocalObjectReference{chart.OCIRepository.PullSecretRef, chart.OCIRepository.CABundleSecretRef} {
		if ref != nil {
			e.secret(constants.GardenNamespace, ref.Name, v)
		}
	}
}

func (e *edges) secret(namespace, name string, to graph.Vertex) {
	e.add(graph.Vertex{Kind: graph.Secret, Namespace: namespace, Name: name}, to)
}

// referable are the kinds that objects refer to by kind and name.
var referable = map[string]graph.Kind{
	"Secret": graph.Secret, "ConfigMap": graph.ConfigMap, "InternalSecret": graph.InternalSecret, "WorkloadIdentity": graph.WorkloadIdentity,
}

func (e *edges) credentials(ref *corev1.ObjectReference, to graph.Vertex) {
	if ref != nil {
		e.named(ref.Kind, ref.Namespace, ref.Name, to)
	}
}

func (e *edges) named(kind, namespace, name string, to graph.Vertex) {
	if known := referable[kind]; known != "" {
		e.add(graph.Vertex{Kind: known, Namespace: namespace, Name: name}, to)
	}
}
