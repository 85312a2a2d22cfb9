package kubeapiserver

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	apiserverv1 "k8s.io/apiserver/pkg/apis/apiserver/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/embedded/apihelper/admissionplugin"
	"github.com/gardener-up/gardener-up/embedded/apihelper/tenantkubeconfig"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// workingDir is the working directory as an absolute path, which some plugins demand. The real path is not known here:
// on an embedded node each pod has its own.
const workingDir = "/proc/self/cwd/"

// admissionFiles returns the configuration of the plugins that have one, and the kubeconfigs of plugins. Users write
// both, so both are written anew. They name no files but ours.
func admissionFiles(v Values) (configuration, kubeconfigs *file, err error) {
	document := apiserverv1.AdmissionConfiguration{TypeMeta: metav1.TypeMeta{APIVersion: configVersion, Kind: "AdmissionConfiguration"}}
	written := map[string][]byte{}
	for _, plugin := range v.Config.AdmissionPlugins {
		if ptr.Deref(plugin.Disabled, false) {
			continue
		}
		raw, err := pluginConfiguration(plugin, v.PluginKubeconfigs[plugin.Name], written)
		if err != nil {
			return nil, nil, contract.WithCodes(err, gardencorev1beta1.ErrorConfigurationProblem)
		}
		if raw != nil {
			document.Plugins = append(document.Plugins, apiserverv1.AdmissionPluginConfiguration{Name: plugin.Name, Configuration: &runtime.Unknown{Raw: raw}})
		}
	}
	if len(document.Plugins) == 0 {
		return nil, nil, nil
	}
	raw, err := yaml.Marshal(document)
	if err != nil {
		return nil, nil, fmt.Errorf("encode admission configuration: %w", err)
	}
	configuration = &file{dir: dirAdmission, object: pod.ConfigMap("kube-apiserver-admission-config", v.Namespace, map[string]string{keyAdmission: string(raw)})}
	if len(written) > 0 {
		kubeconfigs = &file{dir: dirAdmission, secret: true, object: pod.Secret("kube-apiserver-admission-kubeconfigs", v.Namespace, written)}
	}
	return configuration, kubeconfigs, nil
}

// pluginConfiguration returns the configuration of a plugin, and adds its kubeconfig to written.
func pluginConfiguration(plugin gardencorev1beta1.AdmissionPlugin, kubeconfig []byte, written map[string][]byte) ([]byte, error) {
	path := ""
	if kubeconfig != nil && admissionplugin.UsesKubeconfig(plugin.Name) {
		name := plugin.Name + "-kubeconfig.yaml"
		rewritten, err := tenantkubeconfig.Rewrite(kubeconfig)
		if err != nil {
			return nil, fmt.Errorf("kubeconfig of admission plugin %s in secret %q: %w", plugin.Name, ptr.Deref(plugin.KubeconfigSecretName, ""), err)
		}
		written[name] = rewritten
		path = workingDir + pod.File(dirAdmission, name)
	}
	var raw []byte
	if plugin.Config != nil {
		raw = plugin.Config.Raw
	}
	raw, err := admissionplugin.Rewrite(plugin.Name, raw, path)
	if err != nil {
		return nil, fmt.Errorf("configuration of admission plugin %s: %w", plugin.Name, err)
	}
	return raw, nil
}
