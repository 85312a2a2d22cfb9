package admissionplugin_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/embedded/apihelper/admissionplugin"
)

const (
	webhook = "MutatingAdmissionWebhook"
	head    = `"apiVersion":"apiserver.config.k8s.io/v1","kind":"WebhookAdmissionConfiguration"`
)

func TestRewrite(t *testing.T) {
	for name, tc := range map[string]struct{ plugin, config, file, want, refusal string }{
		"a kubeconfig of ours replaces the user's":               {webhook, `{` + head + `,"kubeConfigFile":"/etc/passwd"}`, "/our/file", `{"kind":"WebhookAdmissionConfiguration","apiVersion":"apiserver.config.k8s.io/v1","kubeConfigFile":"/our/file"}`, ""},
		"a kubeconfig needs no configuration":                    {"ValidatingAdmissionWebhook", "", "/our/file", `{"kind":"WebhookAdmissionConfiguration","apiVersion":"apiserver.config.k8s.io/v1","kubeConfigFile":"/our/file"}`, ""},
		"nothing remains nothing":                                {webhook, "", "", "", ""},
		"a file of the user's is refused":                        {webhook, `{` + head + `,"kubeConfigFile":"/etc/passwd"}`, "", "", "kubeConfigFile: must not name a file"},
		"a directory of the user's is refused":                   {webhook, `{` + head + `,"staticManifestsDir":"/etc"}`, "/our/file", "", "staticManifestsDir: must not name a directory"},
		"another spelling of a field is refused":                 {webhook, `{` + head + `,"kubeconfigfile":"/etc/passwd"}`, "/our/file", "", `unknown field "kubeconfigfile"`},
		"a repeated field is refused":                            {webhook, `{` + head + `,"kubeConfigFile":"","kubeConfigFile":"/etc/passwd"}`, "/our/file", "", `duplicate field "kubeConfigFile"`},
		"another kind is refused":                                {webhook, `{"apiVersion":"apiserver.config.k8s.io/v1","kind":"Other"}`, "", "", "it must have kind WebhookAdmissionConfiguration"},
		"no kind is refused":                                     {webhook, `{}`, "", "", "it must have kind WebhookAdmissionConfiguration"},
		"the field is below imagePolicy":                         {"ImagePolicyWebhook", `{"imagePolicy":{"kubeConfigFile":"/etc/passwd","allowTTL":50,"defaultAllow":true}}`, "/our/file", `{"imagePolicy":{"kubeConfigFile":"/our/file","allowTTL":50,"defaultAllow":true}}`, ""},
		"ImagePolicyWebhook needs a kubeconfig":                  {"ImagePolicyWebhook", `{"imagePolicy":{"kubeConfigFile":"/etc/passwd"}}`, "", "", "needs a kubeconfig"},
		"a field beside imagePolicy is refused":                  {"ImagePolicyWebhook", `{"imagePolicy":{},"kubeConfigFile":"/etc/passwd"}`, "/our/file", "", `unknown field "kubeConfigFile"`},
		"PodNodeSelector has no kubeconfig":                      {"PodNodeSelector", `{"podNodeSelectorPluginConfig":{"clusterDefaultNodeSelector":"a=b"}}`, "/our/file", `{"podNodeSelectorPluginConfig":{"clusterDefaultNodeSelector":"a=b"}}`, ""},
		"a list is refused":                                      {"PodNodeSelector", `[]`, "", "", "does not have the form"},
		"ResourceQuota keeps its resources":                      {"ResourceQuota", `{"apiVersion":"apiserver.config.k8s.io/v1","kind":"ResourceQuotaConfiguration","limitedResources":[{"resource":"pods","matchContains":["a"]}]}`, "", `{"kind":"ResourceQuotaConfiguration","apiVersion":"apiserver.config.k8s.io/v1","limitedResources":[{"resource":"pods","matchContains":["a"]}]}`, ""},
		"PodSecurity keeps its defaults, and exempts the system": {"PodSecurity", `{"apiVersion":"pod-security.admission.config.k8s.io/v1","kind":"PodSecurityConfiguration","defaults":{"enforce":"baseline"},"exemptions":{}}`, "", `{"kind":"PodSecurityConfiguration","apiVersion":"pod-security.admission.config.k8s.io/v1","defaults":{"enforce":"baseline"},"exemptions":{"namespaces":["kube-system"]}}`, ""},
		"PodSecurity exempts the system once":                    {"PodSecurity", `{"apiVersion":"pod-security.admission.config.k8s.io/v1","kind":"PodSecurityConfiguration","exemptions":{"namespaces":["a","kube-system"]}}`, "", `{"kind":"PodSecurityConfiguration","apiVersion":"pod-security.admission.config.k8s.io/v1","defaults":{},"exemptions":{"namespaces":["a","kube-system"]}}`, ""},
		"EventRateLimit keeps its limits":                        {"EventRateLimit", `{"apiVersion":"eventratelimit.admission.k8s.io/v1alpha1","kind":"Configuration","limits":[{"type":"Server","qps":5,"burst":6}]}`, "", `{"kind":"Configuration","apiVersion":"eventratelimit.admission.k8s.io/v1alpha1","limits":[{"type":"Server","qps":5,"burst":6}]}`, ""},
		"PodTolerationRestriction keeps its list":                {"PodTolerationRestriction", `{"apiVersion":"podtolerationrestriction.admission.k8s.io/v1alpha1","kind":"Configuration","whitelist":[{"key":"a"}]}`, "", `{"kind":"Configuration","apiVersion":"podtolerationrestriction.admission.k8s.io/v1alpha1","whitelist":[{"key":"a"}]}`, ""},
		"a plugin that reads only manifests is closed":           {"ValidatingAdmissionPolicy", `{"apiVersion":"apiserver.config.k8s.io/v1","kind":"ValidatingAdmissionPolicyConfiguration","staticManifestsDir":"/etc"}`, "", "", "ValidatingAdmissionPolicy has no configuration"},
		"a plugin without configuration is closed":               {"LimitRanger", `{"a":"/etc"}`, "", "", "LimitRanger has no configuration"},
		"a plugin without configuration needs none":              {"LimitRanger", "", "", "", ""},
	} {
		t.Run("API-18 "+name, func(t *testing.T) {
			got, err := admissionplugin.Rewrite(tc.plugin, []byte(tc.config), tc.file)
			if tc.refusal != "" {
				if err == nil || !strings.Contains(err.Error(), tc.refusal) {
					t.Errorf("error is %v, want one with %q", err, tc.refusal)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, string(got)); diff != "" {
				t.Errorf("configuration (-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzRewrite looks for a configuration by which text of the user's gets into the path of a file.
func FuzzRewrite(f *testing.F) {
	for _, name := range []string{webhook, "ImagePolicyWebhook", "PodNodeSelector", "ResourceQuota", "PodSecurity", "EventRateLimit"} {
		f.Add(name, []byte(`{`+head+`,"kubeConfigFile":"/etc/passwd"}`))
		f.Add(name, []byte(`{"imagePolicy":{"kubeConfigFile":"/etc/passwd"}}`))
	}
	f.Fuzz(func(t *testing.T, name string, config []byte) {
		got, err := admissionplugin.Rewrite(name, config, "/our/file")
		if err != nil || len(got) == 0 {
			return
		}
		for _, field := range []string{"kubeConfigFile", "staticManifestsDir"} {
			rest := bytes.ReplaceAll(got, []byte(`"`+field+`":"/our/file"`), nil)
			if name != "PodNodeSelector" && bytes.Contains(bytes.ToLower(rest), []byte(`"`+strings.ToLower(field)+`":`)) {
				t.Errorf("%s: %s", name, got)
			}
		}
		again, err := admissionplugin.Rewrite(name, got, "/our/file")
		if err != nil || !bytes.Equal(got, again) {
			t.Errorf("written twice it differs: %v\n%s\n%s", err, got, again)
		}
	})
}
