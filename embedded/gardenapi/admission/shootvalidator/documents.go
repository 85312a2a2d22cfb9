package shootvalidator

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

func (p *Plugin) checkDocuments(ctx context.Context, shoot, old *core.Shoot) field.ErrorList {
	errs := append(checkVersions(shoot), checkPlugins(shoot, old)...)
	return append(errs, p.checkKubeconfigs(ctx, shoot, old)...)
}

// document is one that only an extension understands.
type document struct {
	path *field.Path
	raw  *runtime.RawExtension
}

func documents(shoot *core.Shoot) []document {
	path := field.NewPath("spec")
	provider := shoot.Spec.Provider
	out := []document{
		{path.Child("provider", "infrastructureConfig"), provider.InfrastructureConfig},
		{path.Child("provider", "controlPlaneConfig"), provider.ControlPlaneConfig},
	}
	if shoot.Spec.Networking != nil {
		out = append(out, document{path.Child("networking", "providerConfig"), shoot.Spec.Networking.ProviderConfig})
	}
	for i, extension := range shoot.Spec.Extensions {
		out = append(out, document{path.Child("extensions").Index(i).Child("providerConfig"), extension.ProviderConfig})
	}
	for i, worker := range provider.Workers {
		path := path.Child("provider", "workers").Index(i)
		out = append(out, document{path.Child("providerConfig"), worker.ProviderConfig})
		if worker.Machine.Image != nil {
			out = append(out, document{path.Child("machine", "image", "providerConfig"), worker.Machine.Image.ProviderConfig})
		}
		for j, runtime := range ptr.Deref(worker.CRI, core.CRI{}).ContainerRuntimes {
			out = append(out, document{path.Child("cri", "containerRuntimes").Index(j).Child("providerConfig"), runtime.ProviderConfig})
		}
	}
	if server := shoot.Spec.Kubernetes.KubeAPIServer; server != nil {
		for i, plugin := range server.AdmissionPlugins {
			out = append(out, document{path.Child("kubernetes", "kubeAPIServer", "admissionPlugins").Index(i).Child("config"), plugin.Config})
		}
	}
	return out
}

// checkVersions refuses documents in the version that programs use inside only.
func checkVersions(shoot *core.Shoot) field.ErrorList {
	var errs field.ErrorList
	for _, one := range documents(shoot) {
		if one.raw == nil || len(one.raw.Raw) == 0 {
			continue
		}
		var typeMeta metav1.TypeMeta
		if err := yaml.Unmarshal(one.raw.Raw, &typeMeta); err != nil {
			continue // the extension tells what is wrong with it
		}
		if typeMeta.APIVersion == runtime.APIVersionInternal || strings.HasSuffix(typeMeta.APIVersion, "/"+runtime.APIVersionInternal) {
			errs = append(errs, field.Invalid(one.path.Child("apiVersion"), typeMeta.APIVersion, "must not be the internal version"))
		}
	}
	return errs
}

// checkKubeconfigs demands that Secrets for admission plugins get into the seed, which those in spec.resources do, and
// that they have a kubeconfig.
func (p *Plugin) checkKubeconfigs(ctx context.Context, shoot, old *core.Shoot) field.ErrorList {
	var errs field.ErrorList
	known := secretsOfPlugins(old)
	for i, name := range secretsOfPlugins(shoot) {
		if name == "" {
			continue
		}
		path := field.NewPath("spec", "kubernetes", "kubeAPIServer", "admissionPlugins").Index(i).Child("kubeconfigSecretName")
		if !slices.ContainsFunc(shoot.Spec.Resources, func(r core.NamedResourceReference) bool {
			return r.ResourceRef.Kind == "Secret" && r.ResourceRef.Name == name
		}) {
			errs = append(errs, field.Invalid(path, name, "must be listed in spec.resources"))
			continue
		}
		if slices.Contains(known, name) {
			continue
		}
		secret, err := p.garden.CoreV1().Secrets(shoot.Namespace).Get(ctx, name, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err): // ResourceReferenceManager refuses it, but only to users who may read the Secret
		case err != nil:
			errs = append(errs, field.InternalError(path, fmt.Errorf("read secret %s/%s: %w", shoot.Namespace, name, err)))
		case len(secret.Data[constants.DataKeyKubeconfig]) == 0:
			errs = append(errs, field.Invalid(path, name, "the secret must have the key "+constants.DataKeyKubeconfig))
		}
	}
	return errs
}

func secretsOfPlugins(shoot *core.Shoot) []string {
	var names []string
	for _, plugin := range plugins(shoot) {
		names = append(names, ptr.Deref(plugin.KubeconfigSecretName, ""))
	}
	return names
}
