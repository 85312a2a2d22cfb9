// Package extensionlabels is the admission plugin that labels objects with the extension types they use, so that the
// webhooks of an extension can select these objects.
package extensionlabels

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	security "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/shootvalidator"
)

// PluginName is the name of the plugin in flags and configuration files.
const PluginName = "ExtensionLabels"

// Register adds the plugin to the available plugins.
func Register(plugins *admission.Plugins) {
	plugins.Register(PluginName, func(io.Reader) (admission.Interface, error) {
		return New(clock.RealClock{}), nil
	})
}

// New makes a plugin. The clock decides which images are expired.
func New(clock clock.PassiveClock) *Plugin {
	return &Plugin{Handler: admission.NewHandler(admission.Create, admission.Update), clock: clock}
}

// Plugin implements the admission plugin.
type Plugin struct {
	*admission.Handler
	objects initializer.Objects
	clock   clock.PassiveClock
}

// SetObjects sets the reader of objects.
func (p *Plugin) SetObjects(objects initializer.Objects) { p.objects = objects }

// ValidateInitialization reports whether the plugin has all its dependencies.
func (p *Plugin) ValidateInitialization() error {
	if p.objects == nil {
		return fmt.Errorf("%s: no reader of objects", PluginName)
	}
	return nil
}

// Admit replaces the labels with those of the types in use.
func (p *Plugin) Admit(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	if a.GetSubresource() != "" {
		return nil
	}
	if entry, ok := a.GetObject().(*core.BackupEntry); ok {
		return p.labelEntry(ctx, entry)
	}
	used := a.GetObject()
	if shoot, ok := used.(*core.Shoot); ok {
		old, _ := a.GetOldObject().(*core.Shoot)
		used = p.completed(ctx, shoot, old)
	}
	if labels, known := Labels(used); known {
		replace(a.GetObject().(metav1.Object), labels)
	}
	return nil
}

// completed returns the shoot with the machine images that ShootValidator will choose later.
func (p *Plugin) completed(ctx context.Context, shoot, old *core.Shoot) *core.Shoot {
	if !slices.ContainsFunc(shoot.Spec.Provider.Workers, func(w core.Worker) bool { return w.Machine.Image == nil }) {
		return shoot
	}
	return shootvalidator.Completed(ctx, p.objects, shoot, old, p.clock.Now())
}

// labelEntry labels a BackupEntry with the type of its bucket. An entry without a bucket keeps its labels.
func (p *Plugin) labelEntry(ctx context.Context, entry *core.BackupEntry) error {
	bucket, err := initializer.Get[core.BackupBucket](ctx, p.objects, core.Resource("backupbuckets"), "", entry.Spec.BucketName)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	replace(entry, []string{constants.LabelExtensionProviderTypePrefix + bucket.Spec.Provider.Type})
	return nil
}

// Labels returns the keys of the labels that an object should have; known is false for kinds that use no extensions.
func Labels(object any) (labels []string, known bool) {
	provider := constants.LabelExtensionProviderTypePrefix
	switch o := object.(type) {
	case *core.CloudProfile:
		return []string{provider + o.Spec.Type}, true
	case *core.SecretBinding:
		for _, one := range strings.Split(ptr.Deref(o.Provider, core.SecretBindingProvider{}).Type, ",") {
			labels = append(labels, provider+one)
		}
		return labels, true
	case *security.CredentialsBinding:
		return []string{provider + o.Provider.Type}, true
	case *core.BackupBucket:
		return []string{provider + o.Spec.Provider.Type}, true
	case *core.Seed:
		return ofSeed(o), true
	case *core.Shoot:
		return ofShoot(o), true
	default:
		return nil, false
	}
}

func ofSeed(s *core.Seed) []string {
	labels := []string{constants.LabelExtensionProviderTypePrefix + s.Spec.Provider.Type}
	if s.Spec.Backup != nil {
		labels = append(labels, constants.LabelExtensionProviderTypePrefix+s.Spec.Backup.Provider)
	}
	if s.Spec.DNS.Provider != nil {
		labels = append(labels, constants.LabelExtensionDNSRecordTypePrefix+s.Spec.DNS.Provider.Type)
	}
	for _, extension := range s.Spec.Extensions {
		labels = append(labels, constants.LabelExtensionExtensionTypePrefix+extension.Type)
	}
	return labels
}

func ofShoot(s *core.Shoot) []string {
	labels := []string{constants.LabelExtensionProviderTypePrefix + s.Spec.Provider.Type}
	if s.Spec.Networking != nil {
		labels = append(labels, constants.LabelExtensionNetworkingTypePrefix+ptr.Deref(s.Spec.Networking.Type, ""))
	}
	if s.Spec.DNS != nil {
		for _, dns := range s.Spec.DNS.Providers {
			labels = append(labels, constants.LabelExtensionDNSRecordTypePrefix+ptr.Deref(dns.Type, ""))
		}
	}
	for _, extension := range s.Spec.Extensions {
		if !ptr.Deref(extension.Disabled, false) {
			labels = append(labels, constants.LabelExtensionExtensionTypePrefix+extension.Type)
		}
	}
	for _, worker := range s.Spec.Provider.Workers {
		if worker.Machine.Image != nil {
			labels = append(labels, constants.LabelExtensionOperatingSystemConfigTypePrefix+worker.Machine.Image.Name)
		}
		for _, runtime := range ptr.Deref(worker.CRI, core.CRI{}).ContainerRuntimes {
			labels = append(labels, constants.LabelExtensionContainerRuntimeTypePrefix+runtime.Type)
		}
	}
	return labels
}

// replace replaces the labels of this plugin and keeps all others.
func replace(object metav1.Object, keys []string) {
	labels := maps.Clone(object.GetLabels())
	maps.DeleteFunc(labels, func(key, _ string) bool {
		prefix, _, _ := strings.Cut(key, "/")
		return strings.HasSuffix(prefix, ".extensions.gardener.cloud") && key != constants.LabelExtensionProviderMutatedByControlplaneWebhook
	})
	for _, key := range keys {
		if strings.HasSuffix(key, "/") { // no type given; validation tells
			continue
		}
		if labels == nil {
			labels = map[string]string{}
		}
		labels[key] = "true"
	}
	object.SetLabels(labels)
}
