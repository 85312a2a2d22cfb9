// Package webhook is what the provider adds to the control planes of its shoots and to the content of their machines.
package webhook

import (
	"cmp"
	"context"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/providers/webhook"
)

// MachinesAnnotation is on the Deployments of a shoot's control plane. It says what the machines are that they serve: pod or container.
const MachinesAnnotation = "local.provider.extensions.gardener.cloud/machines"

// Mutators are those of a seed with machines of the given kind; pods if it is empty. reader reads the seed without a cache.
func Mutators(machines api.MachineRuntime, reader client.Reader) webhook.Mutators {
	kind := string(cmp.Or(machines, api.Pods))
	annotate := func(_ context.Context, d *appsv1.Deployment) error {
		// of the Deployment only: an annotation of the pods would restart the control planes that exist
		metav1.SetMetaDataAnnotation(&d.ObjectMeta, MachinesAnnotation, kind)
		return nil
	}
	return webhook.Mutators{
		KubeAPIServer: annotate, KubeControllerManager: annotate, KubeScheduler: annotate,
		OperatingSystemConfig: Contents{Reader: reader}.Mutate,
	}
}
