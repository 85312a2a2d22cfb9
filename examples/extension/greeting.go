package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
	"github.com/gardener-up/gardener-up/providers/managed"
)

// kind is the type of the Extensions.
const kind = "greeting"

// actuator makes the objects in the shoot by a ManagedResource. c is a client of the seed.
func actuator(c client.Client) contract.ExtensionActuator {
	return managed.Actuator[*extensionsv1alpha1.Extension]{Client: c, Prefix: "extension", Render: render}
}

// configuration is providerConfig of an Extension.
type configuration struct {
	Text string `json:"text"`
}

func render(_ context.Context, cluster *contract.Cluster, extension *extensionsv1alpha1.Extension) (map[string][]byte, error) {
	config := configuration{}
	if raw := extension.Spec.ProviderConfig; raw != nil {
		if err := json.Unmarshal(raw.Raw, &config); err != nil {
			return nil, contract.Permanent(fmt.Errorf("read providerConfig: %w", err), gardencorev1beta1.ErrorConfigurationProblem)
		}
	}
	if config.Text == "" {
		return nil, contract.Permanent(errors.New("providerConfig.text is empty: write a greeting"), gardencorev1beta1.ErrorConfigurationProblem)
	}
	greeted := ""
	if cluster != nil && cluster.Shoot != nil {
		greeted = cluster.Shoot.Name
	}
	document, err := yaml.Marshal(&corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: "greeting"},
		Data:       map[string]string{"text": config.Text, "shoot": greeted},
	})
	if err != nil {
		return nil, fmt.Errorf("encode greeting: %w", err)
	}
	return map[string][]byte{"greeting.yaml": document}, nil
}
