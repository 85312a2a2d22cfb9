package admission

import (
	"context"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apiserver/pkg/admission"
	mutatingwebhook "k8s.io/apiserver/pkg/admission/plugin/webhook/mutating"
	"k8s.io/client-go/informers"
)

// unlessUnused passes over the plugin of mutating webhooks while the garden has none: it copies every object, for the case
// that a webhook has to be asked again.
func unlessUnused(garden informers.SharedInformerFactory) admission.Decorator {
	informer := garden.Admissionregistration().V1().MutatingWebhookConfigurations()
	synced := informer.Informer().HasSynced
	return admission.DecoratorFunc(func(plugin admission.Interface, name string) admission.Interface {
		if name != mutatingwebhook.PluginName {
			return plugin
		}
		return optional{plugin, func() bool {
			if !synced() {
				return true // the plugin waits
			}
			webhooks, err := informer.Lister().List(labels.Everything())
			return err != nil || len(webhooks) > 0
		}}
	})
}

// optional is a plugin that is not always needed.
type optional struct {
	admission.Interface
	needed func() bool
}

func (o optional) Admit(ctx context.Context, a admission.Attributes, interfaces admission.ObjectInterfaces) error {
	mutating, is := o.Interface.(admission.MutationInterface)
	if !is || !o.needed() {
		return nil
	}
	return mutating.Admit(ctx, a, interfaces)
}
