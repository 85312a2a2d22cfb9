package kubeapiserver

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

const (
	kubeconfig     = "apiVersion: v1\nkind: Config\nusers: [{name: '*', user: {token: t}}]\n"
	authentication = "apiVersion: apiserver.config.k8s.io/v1beta1\nkind: AuthenticationConfiguration\njwt:\n" +
		"- issuer: {url: 'https://issuer', audiences: [a], egressSelectorType: controlplane}\n  claimMappings: {username: {claim: sub, prefix: ''}}\n"
	webhookConfig = `{"apiVersion":"apiserver.config.k8s.io/v1","kind":"WebhookAdmissionConfiguration","kubeConfigFile":"/etc/passwd"}`
)

func plugin(name, config string) *gardencorev1beta1.KubeAPIServerConfig {
	p := gardencorev1beta1.AdmissionPlugin{Name: name}
	if config != "" {
		p.Config = &runtime.RawExtension{Raw: []byte(config)}
	}
	return &gardencorev1beta1.KubeAPIServerConfig{AdmissionPlugins: []gardencorev1beta1.AdmissionPlugin{p}}
}

// Users write these documents, and kube-apiserver would read files and run programs that they name.
func TestDocumentsOfTenants(t *testing.T) {
	for _, name := range []string{"MutatingAdmissionWebhook", "ValidatingAdmissionWebhook"} {
		t.Run("API-18 "+name+" reads the kubeconfig of the Secret, whatever file its configuration names", func(t *testing.T) {
			v := values(plugin(name, webhookConfig))
			v.PluginKubeconfigs = map[string][]byte{name: []byte(kubeconfig)}
			_, files, _ := deployed(t, v)
			written := files["admission-configuration.yaml"]
			if !strings.Contains(written, "kubeConfigFile: /proc/self/cwd/etc/kubernetes/admission/"+name+"-kubeconfig.yaml") || strings.Contains(written, "passwd") {
				t.Errorf("configuration:\n%s", written)
			}
		})
	}
	t.Run("API-18 a kubeconfig alone configures a webhook plugin", func(t *testing.T) {
		v := values(plugin("MutatingAdmissionWebhook", ""))
		v.PluginKubeconfigs = map[string][]byte{"MutatingAdmissionWebhook": []byte(kubeconfig)}
		if _, files, _ := deployed(t, v); files["MutatingAdmissionWebhook-kubeconfig.yaml"] == "" || files["admission-configuration.yaml"] == "" {
			t.Errorf("files: %v", files)
		}
	})
	t.Run("a plugin that needs no kubeconfig gets none", func(t *testing.T) {
		v := values(plugin("PodNodeSelector", `{"podNodeSelectorPluginConfig":{}}`))
		v.PluginKubeconfigs = map[string][]byte{"PodNodeSelector": []byte("no kubeconfig")}
		if _, files, _ := deployed(t, v); len(files["PodNodeSelector-kubeconfig.yaml"]) > 0 {
			t.Error("the kubeconfig is there")
		}
	})
	t.Run("API-18 an issuer is reached from the pod itself", func(t *testing.T) {
		v := values(nil)
		v.Authentication = authentication
		_, files, _ := deployed(t, v)
		if written := files["config.yaml"]; !strings.Contains(written, "https://issuer") || strings.Contains(written, "controlplane") {
			t.Errorf("configuration:\n%s", written)
		}
	})
	for name, tc := range map[string]struct {
		change func(*Values)
		want   string
	}{
		"a plugin's file": {func(v *Values) { v.Config = plugin("MutatingAdmissionWebhook", webhookConfig) },
			"configuration of admission plugin MutatingAdmissionWebhook: kubeConfigFile"},
		"a kubeconfig that runs a program": {func(v *Values) {
			v.Config = plugin("ImagePolicyWebhook", `{"imagePolicy":{}}`)
			v.PluginKubeconfigs = map[string][]byte{"ImagePolicyWebhook": []byte("apiVersion: v1\nkind: Config\nusers: [{name: a, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: sh, interactiveMode: Never}}}]\n")}
		}, `kubeconfig of admission plugin ImagePolicyWebhook in secret "": user "a" runs a program`},
		"an empty kubeconfig": {func(v *Values) {
			v.Config = plugin("ImagePolicyWebhook", `{"imagePolicy":{}}`)
			v.PluginKubeconfigs = map[string][]byte{"ImagePolicyWebhook": []byte("[]")}
		}, "cannot be parsed"},
		"a configuration of nobody":          {func(v *Values) { v.Config = plugin("AlwaysPullImages", `{"a":"b"}`) }, "has no configuration"},
		"authentication with unknown fields": {func(v *Values) { v.Authentication = authentication + "file: /etc/passwd\n" }, "authentication configuration"},
		"authentication of another kind":     {func(v *Values) { v.Authentication = "apiVersion: v1\nkind: Secret\n" }, "must have kind AuthenticationConfiguration"},
		"an issuer behind a tunnel that does not exist": {func(v *Values) {
			v.Authentication = strings.ReplaceAll(authentication, "controlplane", "cluster")
		}, "no tunnel"},
	} {
		t.Run("API-18 the user has to correct "+name, func(t *testing.T) {
			v := values(nil)
			tc.change(&v)
			_, _, err := Objects(v)
			if err == nil || !strings.Contains(err.Error(), tc.want) || !slices.Contains(contract.Codes(err), gardencorev1beta1.ErrorConfigurationProblem) {
				t.Errorf("error %v with codes %v, want one with %q", err, contract.Codes(err), tc.want)
			}
		})
	}
}
