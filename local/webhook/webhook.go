// Package webhook is what the provider adds to the control planes of its shoots and to the content of their machines.
package webhook

import (
	"cmp"
	"context"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/providers/webhook"
)

// MachinesAnnotation is on the Deployments of a shoot's control plane. It says what the machines are that they serve: pod or container.
const MachinesAnnotation = "local.provider.extensions.gardener.cloud/machines"

// greetingPath is the file that a login to a machine shows.
const greetingPath = "/etc/motd"

// Mutators are those of a seed with machines of the given kind; pods if it is empty.
func Mutators(machines api.MachineRuntime) webhook.Mutators {
	kind := string(cmp.Or(machines, api.Pods))
	annotate := func(_ context.Context, d *appsv1.Deployment) error {
		// of the Deployment only: an annotation of the pods would restart the control planes that exist
		metav1.SetMetaDataAnnotation(&d.ObjectMeta, MachinesAnnotation, kind)
		return nil
	}
	return webhook.Mutators{
		KubeAPIServer: annotate, KubeControllerManager: annotate, KubeScheduler: annotate,
		OperatingSystemConfig: func(_ context.Context, osc *extensionsv1alpha1.OperatingSystemConfig) error {
			webhook.File(osc, greeting(osc.Namespace))
			return nil
		},
	}
}

// greeting tells who logs in where they are.
func greeting(technicalID string) extensionsv1alpha1.File {
	return extensionsv1alpha1.File{
		Path: greetingPath, Permissions: ptr.To[uint32](0o644),
		Content: extensionsv1alpha1.FileContent{Inline: &extensionsv1alpha1.FileContentInline{
			Data: "This is a machine of " + technicalID + ", made by the provider " + api.Type + ". It shares kernel, memory and disk with the computer that it runs on.\n",
		}},
	}
}
