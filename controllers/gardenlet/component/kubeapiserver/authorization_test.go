package kubeapiserver

import (
	"slices"
	"strings"
	"testing"

	apiserverv1 "k8s.io/apiserver/pkg/apis/apiserver/v1"
	apiserverv1beta1 "k8s.io/apiserver/pkg/apis/apiserver/v1beta1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

const (
	authorizationHead = "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\nauthorizers:\n"
	authorizer        = "- {type: Webhook, name: team, webhook: {timeout: 3s, failurePolicy: NoOpinion, subjectAccessReviewVersion: v1, matchConditionSubjectAccessReviewVersion: v1}}\n"
)

// authorized is a shoot with the document, and with kubeconfigs for the named authorizers.
func authorized(document string, names ...string) Values {
	v := values(nil)
	v.Authorization = &Authorization{Document: document, Kubeconfigs: map[string][]byte{}}
	for _, name := range names {
		v.Authorization.Kubeconfigs[name] = []byte(kubeconfig)
	}
	return v
}

func TestAuthorization(t *testing.T) {
	const flag = "--authorization-config=etc/kubernetes/structured-authorization/" + keyAuthorization
	read := func(t *testing.T, v Values) []apiserverv1.AuthorizerConfiguration {
		t.Helper()
		args, files, _ := deployed(t, v)
		if !slices.Contains(args, flag) || slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--authorization-mode") }) {
			t.Errorf("args: %q", args)
		}
		document := apiserverv1.AuthorizationConfiguration{}
		if err := yaml.UnmarshalStrict([]byte(files[keyAuthorization]), &document); err != nil {
			t.Fatal(err)
		}
		if files["team-kubeconfig.yaml"] == "" {
			t.Error("the kubeconfig is missing")
		}
		egress := apiserverv1beta1.EgressSelectorConfiguration{}
		if err := yaml.UnmarshalStrict([]byte(files[keyEgress]), &egress); err != nil || len(egress.EgressSelections) != 2 {
			t.Errorf("APP-19 without an egress selector the API server does not check what the webhook is dialled at: %+v, %v", egress, err)
		}
		return document.Authorizers
	}
	t.Run("API-18 a webhook comes after the built-in authorizers and reads the kubeconfig of the Secret", func(t *testing.T) {
		got := read(t, authorized(authorizationHead+authorizer, "team"))
		if len(got) != 3 || got[0].Type != "Node" || got[1].Type != "RBAC" || got[2].Name != "team" || got[2].Webhook.FailurePolicy != "NoOpinion" {
			t.Fatalf("authorizers: %+v", got)
		}
		if file := ptr.Deref(got[2].Webhook.ConnectionInfo.KubeConfigFile, ""); file != "/proc/self/cwd/etc/kubernetes/structured-authorization/team-kubeconfig.yaml" {
			t.Errorf("kubeconfig is %s", file)
		}
	})
	t.Run("a shoot without workers has no authorizer for nodes", func(t *testing.T) {
		v := authorized(authorizationHead+authorizer, "team")
		v.Workerless = true
		if got := read(t, v); len(got) != 2 || got[0].Type != "RBAC" {
			t.Errorf("authorizers: %+v", got)
		}
	})
	for name, tc := range map[string]struct {
		v    Values
		want string
	}{
		"another kind":           {authorized("apiVersion: v1\nkind: ConfigMap\n"), "must have kind AuthorizationConfiguration"},
		"unknown fields":         {authorized(authorizationHead+"- {typ: Webhook}\n", "team"), "unknown field"},
		"no webhook":             {authorized("apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\nauthorizers: []\n"), "at least one webhook"},
		"everything is allowed":  {authorized(authorizationHead+"- {type: AlwaysAllow, name: all}\n", "all"), "list webhooks only"},
		"RBAC in another place":  {authorized(authorizationHead+authorizer+"- {type: RBAC, name: late}\n", "team"), "list webhooks only"},
		"a name of ours":         {authorized(strings.Replace(authorizationHead+authorizer, "team", "rbac", 1), "rbac"), "is taken"},
		"a name twice":           {authorized(authorizationHead+authorizer+authorizer, "team"), "is taken"},
		"a name that is a path":  {authorized(strings.Replace(authorizationHead+authorizer, "team", "../team", 1), "../team"), "name:"},
		"a file of the machine":  {authorized(strings.Replace(authorizationHead+authorizer, "timeout:", "connectionInfo: {type: KubeConfigFile, kubeConfigFile: /etc/passwd}, timeout:", 1), "team"), "must not name a file"},
		"the cluster of the pod": {authorized(strings.Replace(authorizationHead+authorizer, "timeout:", "connectionInfo: {type: InClusterConfig}, timeout:", 1), "team"), "only KubeConfigFile is"},
		"no Secret":              {authorized(authorizationHead+authorizer, "other"), "names no Secret"},
	} {
		t.Run("API-18 refused: "+name, func(t *testing.T) {
			_, _, err := Objects(tc.v)
			if err == nil || !strings.Contains(err.Error(), tc.want) || !slices.Contains(contract.Codes(err), gardencorev1beta1.ErrorConfigurationProblem) {
				t.Errorf("error is %v, want %q with a code", err, tc.want)
			}
		})
	}
	t.Run("API-18 refused: a kubeconfig that runs a program", func(t *testing.T) {
		v := authorized(authorizationHead + authorizer)
		v.Authorization.Kubeconfigs["team"] = []byte("apiVersion: v1\nkind: Config\nusers: [{name: a, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: touch, interactiveMode: Never}}}]\n")
		if _, _, err := Objects(v); err == nil || !strings.Contains(err.Error(), "runs a program") {
			t.Errorf("error is %v", err)
		}
	})
}
