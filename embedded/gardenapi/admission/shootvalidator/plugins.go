package shootvalidator

import (
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/embedded/apihelper/admissionplugin"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// checkPlugins refuses configurations of admission plugins that the API server of the shoot must not or cannot read. The
// gardenlet would refuse them later. Plugins that a Shoot has already are its gardenlet's business.
func checkPlugins(shoot, old *core.Shoot) field.ErrorList {
	var errs field.ErrorList
	known := map[string]core.AdmissionPlugin{}
	for _, plugin := range plugins(old) {
		known[plugin.Name] = plugin
	}
	for i, plugin := range plugins(shoot) {
		if before, ok := known[plugin.Name]; ptr.Deref(plugin.Disabled, false) || ok && apiequality.Semantic.DeepEqual(before, plugin) {
			continue
		}
		var config []byte
		if plugin.Config != nil {
			config = plugin.Config.Raw
		}
		if _, err := admissionplugin.Rewrite(plugin.Name, config, ptr.Deref(plugin.KubeconfigSecretName, "")); err != nil {
			path := field.NewPath("spec", "kubernetes", "kubeAPIServer", "admissionPlugins").Index(i).Child("config")
			errs = append(errs, field.Invalid(path, plugin.Name, err.Error()))
		}
	}
	return errs
}

func plugins(shoot *core.Shoot) []core.AdmissionPlugin {
	if shoot == nil || shoot.Spec.Kubernetes.KubeAPIServer == nil {
		return nil
	}
	return shoot.Spec.Kubernetes.KubeAPIServer.AdmissionPlugins
}
