package apiserver

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubeapiserver"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// readFiles reads the documents in the namespace of the project that the Shoot refers to.
func (s Server) readFiles(ctx context.Context, config *gardencorev1beta1.KubeAPIServerConfig, values *kubeapiserver.Values) error {
	if config == nil {
		return nil
	}
	var err error
	if audit := config.AuditConfig; audit != nil && audit.AuditPolicy != nil && audit.AuditPolicy.ConfigMapRef != nil {
		if values.AuditPolicy, err = s.readDocument(ctx, audit.AuditPolicy.ConfigMapRef.Name, constants.DataKeyAuditPolicy); err != nil {
			return fmt.Errorf("read audit policy: %w", err)
		}
	}
	if structured := config.StructuredAuthentication; structured != nil {
		if values.Authentication, err = s.readDocument(ctx, structured.ConfigMapName, constants.DataKeyConfigYAML); err != nil {
			return fmt.Errorf("read authentication configuration: %w", err)
		}
	}
	if err := s.readAuthorization(ctx, config.StructuredAuthorization, values); err != nil {
		return err
	}
	for _, plugin := range config.AdmissionPlugins {
		if plugin.KubeconfigSecretName == nil {
			continue
		}
		kubeconfig, err := s.readKubeconfig(ctx, *plugin.KubeconfigSecretName)
		if err != nil {
			return fmt.Errorf("kubeconfig of admission plugin %q: %w", plugin.Name, err)
		}
		if values.PluginKubeconfigs == nil {
			values.PluginKubeconfigs = map[string][]byte{}
		}
		values.PluginKubeconfigs[plugin.Name] = kubeconfig
	}
	return nil
}

func (s Server) readAuthorization(ctx context.Context, structured *gardencorev1beta1.StructuredAuthorization, values *kubeapiserver.Values) error {
	if structured == nil {
		return nil
	}
	document, err := s.readDocument(ctx, structured.ConfigMapName, constants.DataKeyConfigYAML)
	if err != nil {
		return fmt.Errorf("read authorization configuration: %w", err)
	}
	values.Authorization = &kubeapiserver.Authorization{Document: document, Kubeconfigs: map[string][]byte{}}
	for _, reference := range structured.Kubeconfigs {
		kubeconfig, err := s.readKubeconfig(ctx, reference.SecretName)
		if err != nil {
			return fmt.Errorf("kubeconfig of authorizer %q: %w", reference.AuthorizerName, err)
		}
		values.Authorization.Kubeconfigs[reference.AuthorizerName] = kubeconfig
	}
	return nil
}

func (s Server) readKubeconfig(ctx context.Context, name string) ([]byte, error) {
	secret := &corev1.Secret{}
	key := client.ObjectKey{Namespace: s.Shoot.Namespace, Name: name}
	if err := s.GardenReader.Get(ctx, key, secret); err != nil {
		return nil, fmt.Errorf("read secret %q: %w", key, err)
	}
	kubeconfig, ok := secret.Data[constants.DataKeyKubeconfig]
	if !ok {
		return nil, contract.WithCodes(fmt.Errorf("secret %q has no key %q", key, constants.DataKeyKubeconfig), gardencorev1beta1.ErrorConfigurationProblem)
	}
	return kubeconfig, nil
}

func (s Server) readDocument(ctx context.Context, name, dataKey string) (string, error) {
	configMap := &corev1.ConfigMap{}
	key := client.ObjectKey{Namespace: s.Shoot.Namespace, Name: name}
	if err := s.GardenReader.Get(ctx, key, configMap); err != nil {
		return "", fmt.Errorf("read config map %q: %w", key, err)
	}
	document := configMap.Data[dataKey]
	if document == "" {
		return "", fmt.Errorf("config map %q has no key %q", key, dataKey)
	}
	return document, nil
}
