package examine

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/bootstrap/cluster"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
	"github.com/gardener-up/gardener-up/local/doctor"
)

// Inputs of the checks.
type Inputs struct {
	Cluster *cluster.Cluster
	// Garden is the name that the Garden is to have.
	Garden string
	// StorageClass of the volumes of etcd; empty means the cluster's default.
	StorageClass string
	// Pods and Services are ranges that the operator names; empty means that they are looked up.
	Pods, Services string
	// Domain is the first one that the Garden is to have.
	Domain string
	// Version is that of this program, and Kubernetes that of the virtual garden, without "v".
	Version, Kubernetes string
	// Lookup asks the name servers of this machine; nil means those of the system.
	Lookup func(ctx context.Context, host string) ([]string, error)
}

// Facts are what the Garden has to know of the cluster. They are as far as the checks came.
type Facts struct {
	// ID tells this cluster from others.
	ID string
	// Pods and Services are the ranges of the cluster.
	Pods, Services string
	Zones          []string
	// Nodes are those that take pods of any kind.
	Nodes []corev1.Node
	// Architectures of the nodes that take pods.
	Architectures []string
	// ServiceType is that of the API server's Service of an earlier bootstrap; empty if there is none.
	ServiceType string
	// ProtectsEtcds tells whether the operator of an earlier bootstrap protects the objects of the Garden's etcds.
	ProtectsEtcds bool
}

type examination struct {
	ctx      context.Context
	in       Inputs
	findings []doctor.Finding
	facts    Facts
	present  *operatorv1alpha1.Garden // that of an earlier bootstrap; nil if there is none
}

func (e *examination) ok(check, format string, args ...any) bool {
	e.findings = append(e.findings, doctor.Finding{Check: check, State: doctor.OK, Message: fmt.Sprintf(format, args...)})
	return true
}

func (e *examination) problem(check, cure, format string, args ...any) bool {
	e.findings = append(e.findings, doctor.Finding{Check: check, State: doctor.Problem, Message: fmt.Sprintf(format, args...), Cure: cure})
	return false
}

func (e *examination) warn(check, cure, format string, args ...any) bool {
	e.findings = append(e.findings, doctor.Finding{Check: check, State: doctor.Warning, Message: fmt.Sprintf(format, args...), Cure: cure})
	return true
}

func keyOf(object client.Object) client.ObjectKey { return client.ObjectKeyFromObject(object) }

func addOnce(list []string, item string) []string {
	if item == "" || slices.Contains(list, item) {
		return list
	}
	return append(list, item)
}
