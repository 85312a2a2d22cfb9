package deployed

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubeapiserver"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// readDocuments reads what the Garden refers to for its API server. All of it is in the namespace.
func (w *writer) readDocuments(ctx context.Context, config *gardencorev1beta1.KubeAPIServerConfig, values *kubeapiserver.Values) error {
	var err error
	if values.AuditPolicy, err = w.auditPolicy(ctx, config.AuditConfig); err != nil {
		return err
	}
	if structured := config.StructuredAuthentication; structured != nil {
		if values.Authentication, err = w.readDocument(ctx, structured.ConfigMapName, constants.DataKeyConfigYAML); err != nil {
			return fmt.Errorf("read authentication configuration: %w", err)
		}
	}
	if structured := config.StructuredAuthorization; structured != nil {
		values.Authorization = &kubeapiserver.Authorization{Kubeconfigs: map[string][]byte{}}
		if values.Authorization.Document, err = w.readDocument(ctx, structured.ConfigMapName, constants.DataKeyConfigYAML); err != nil {
			return fmt.Errorf("read authorization configuration: %w", err)
		}
		for _, reference := range structured.Kubeconfigs {
			if values.Authorization.Kubeconfigs[reference.AuthorizerName], err = w.readKubeconfig(ctx, reference.SecretName); err != nil {
				return fmt.Errorf("kubeconfig of authorizer %q: %w", reference.AuthorizerName, err)
			}
		}
	}
	values.PluginKubeconfigs, err = w.pluginKubeconfigs(ctx, config.AdmissionPlugins)
	return err
}

func (w *writer) pluginKubeconfigs(ctx context.Context, plugins []gardencorev1beta1.AdmissionPlugin) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, plugin := range plugins {
		if plugin.KubeconfigSecretName == nil {
			continue
		}
		kubeconfig, err := w.readKubeconfig(ctx, *plugin.KubeconfigSecretName)
		if err != nil {
			return nil, fmt.Errorf("kubeconfig of admission plugin %q: %w", plugin.Name, err)
		}
		out[plugin.Name] = kubeconfig
	}
	return out, nil
}

// auditPolicy is the document; empty if there is none.
func (w *writer) auditPolicy(ctx context.Context, config *gardencorev1beta1.AuditConfig) (string, error) {
	if config == nil || config.AuditPolicy == nil || config.AuditPolicy.ConfigMapRef == nil {
		return "", nil
	}
	policy, err := w.readDocument(ctx, config.AuditPolicy.ConfigMapRef.Name, constants.DataKeyAuditPolicy)
	if err != nil {
		return "", fmt.Errorf("read audit policy: %w", err)
	}
	return policy, nil
}

func (w *writer) readKubeconfig(ctx context.Context, name string) ([]byte, error) {
	secret := &corev1.Secret{}
	if err := w.get(ctx, name, secret); err != nil {
		return nil, err
	}
	kubeconfig := secret.Data[constants.DataKeyKubeconfig]
	if len(kubeconfig) == 0 {
		return nil, fmt.Errorf("secret %q of namespace %q has no key %q", name, w.Namespace, constants.DataKeyKubeconfig)
	}
	return kubeconfig, nil
}

func (w *writer) readDocument(ctx context.Context, name, key string) (string, error) {
	configMap := &corev1.ConfigMap{}
	if err := w.get(ctx, name, configMap); err != nil {
		return "", err
	}
	if configMap.Data[key] == "" {
		return "", fmt.Errorf("config map %q of namespace %q has no key %q", name, w.Namespace, key)
	}
	return configMap.Data[key], nil
}
