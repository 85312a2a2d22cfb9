package kubeapiserver

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	apiserverv1 "k8s.io/apiserver/pkg/apis/apiserver/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/embedded/apihelper/tenantkubeconfig"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// Authorization is what users write about the authorizers of their API server.
type Authorization struct {
	// Document is an AuthorizationConfiguration with webhooks only.
	Document string
	// Kubeconfigs are those of the webhooks, by the name of the authorizer.
	Kubeconfigs map[string][]byte
}

// authorizationFiles returns the configuration of the authorizers, and the kubeconfigs of webhooks. Users write both, so both are
// written anew.
func authorizationFiles(v Values) (configuration, kubeconfigs *file, err error) {
	if v.Authorization == nil {
		return nil, nil, nil
	}
	document, written, err := v.Authorization.rewrite(v.Workerless)
	if err != nil {
		return nil, nil, contract.WithCodes(fmt.Errorf("authorization configuration: %w", err), gardencorev1beta1.ErrorConfigurationProblem)
	}
	raw, err := yaml.Marshal(document)
	if err != nil {
		return nil, nil, fmt.Errorf("encode authorization configuration: %w", err)
	}
	configuration = &file{dir: dirAuthorization, object: pod.ConfigMap("kube-apiserver-authorization-config", v.Namespace, map[string]string{keyAuthorization: string(raw)})}
	kubeconfigs = &file{dir: dirAuthorization, secret: true, object: pod.Secret("kube-apiserver-authorization-kubeconfigs", v.Namespace, written)}
	return configuration, kubeconfigs, nil
}

// rewrite puts the webhooks behind the built-in authorizers. So a webhook can allow more, but it cannot take from the components of
// the landscape what they need.
func (a Authorization) rewrite(workerless bool) (*apiserverv1.AuthorizationConfiguration, map[string][]byte, error) {
	in := &apiserverv1.AuthorizationConfiguration{}
	if err := yaml.UnmarshalStrict([]byte(a.Document), in); err != nil {
		return nil, nil, err
	}
	if in.Kind != "AuthorizationConfiguration" || !strings.HasPrefix(in.APIVersion, apiserverv1.GroupName+"/") {
		return nil, nil, fmt.Errorf("it must have kind AuthorizationConfiguration and apiVersion %s, not %q and %q", configVersion, in.Kind, in.APIVersion)
	}
	out := &apiserverv1.AuthorizationConfiguration{TypeMeta: metav1.TypeMeta{APIVersion: in.APIVersion, Kind: in.Kind}}
	if !workerless {
		out.Authorizers = append(out.Authorizers, apiserverv1.AuthorizerConfiguration{Type: "Node", Name: "node"})
	}
	out.Authorizers = append(out.Authorizers, apiserverv1.AuthorizerConfiguration{Type: "RBAC", Name: "rbac"})
	taken, written := map[string]bool{"node": true, "rbac": true}, map[string][]byte{}
	for i, authorizer := range in.Authorizers {
		if taken[authorizer.Name] {
			return nil, nil, fmt.Errorf("authorizers[%d]: the name %q is taken", i, authorizer.Name)
		}
		taken[authorizer.Name] = true
		file, err := a.complete(&authorizer, written)
		if err != nil {
			return nil, nil, fmt.Errorf("authorizers[%d] (%s): %w", i, authorizer.Name, err)
		}
		authorizer.Webhook.ConnectionInfo = apiserverv1.WebhookConnectionInfo{
			Type: apiserverv1.AuthorizationWebhookConnectionInfoTypeKubeConfigFile, KubeConfigFile: ptr.To(workingDir + pod.File(dirAuthorization, file)),
		}
		out.Authorizers = append(out.Authorizers, authorizer)
	}
	if len(written) == 0 {
		return nil, nil, fmt.Errorf("authorizers: at least one webhook is needed")
	}
	return out, written, nil
}

// complete checks a webhook and adds its kubeconfig to written. It returns the name of the file.
func (a Authorization) complete(authorizer *apiserverv1.AuthorizerConfiguration, written map[string][]byte) (string, error) {
	if authorizer.Type != string(apiserverv1.TypeWebhook) || authorizer.Webhook == nil {
		return "", fmt.Errorf("type %q is not possible: list webhooks only, the authorizers Node and RBAC are always there", authorizer.Type)
	}
	if problems := validation.IsDNS1123Subdomain(authorizer.Name); len(problems) > 0 {
		return "", fmt.Errorf("name: %s", strings.Join(problems, ", "))
	}
	connection := authorizer.Webhook.ConnectionInfo
	if connection.Type != "" && connection.Type != apiserverv1.AuthorizationWebhookConnectionInfoTypeKubeConfigFile {
		return "", fmt.Errorf("webhook.connectionInfo.type: %q is not possible, only %s is", connection.Type, apiserverv1.AuthorizationWebhookConnectionInfoTypeKubeConfigFile)
	}
	if ptr.Deref(connection.KubeConfigFile, "") != "" {
		return "", fmt.Errorf("webhook.connectionInfo.kubeConfigFile: must not name a file: the kubeconfig is that of spec.kubernetes.kubeAPIServer.structuredAuthorization.kubeconfigs")
	}
	kubeconfig, found := a.Kubeconfigs[authorizer.Name]
	if !found {
		return "", fmt.Errorf("spec.kubernetes.kubeAPIServer.structuredAuthorization.kubeconfigs names no Secret for it")
	}
	rewritten, err := tenantkubeconfig.Rewrite(kubeconfig)
	if err != nil {
		return "", fmt.Errorf("kubeconfig: %w", err)
	}
	name := authorizer.Name + "-kubeconfig.yaml"
	written[name] = rewritten
	return name, nil
}
