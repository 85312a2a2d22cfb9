package network

import (
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
)

// configName is the name of the ConfigMap in the Shoot that publishes the accepted configuration.
const configName = "network-config"

// configDocuments are the objects of every network by file name: its configuration.
func configDocuments(network *extensionsv1alpha1.Network) (map[string][]byte, error) {
	config := &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Name: configName, Namespace: metav1.NamespaceSystem, Labels: ownLabels()},
		Data: map[string]string{
			"type": network.Spec.Type, "podCIDR": network.Spec.PodCIDR, "serviceCIDR": network.Spec.ServiceCIDR,
			"simulated": strconv.FormatBool(network.Spec.Type != api.Type),
		},
	}
	if raw := network.Spec.ProviderConfig; raw != nil && len(raw.Raw) > 0 {
		config.Data["providerConfig"] = string(raw.Raw)
	}
	return yamlOf([]client.Object{config})
}

func ownLabels() map[string]string {
	return map[string]string{constants.GardenRole: constants.GardenRoleSystemComponent, "origin": "gardener"}
}

// yamlOf returns the objects in YAML by file name.
func yamlOf(all []client.Object) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, object := range all {
		kind := object.GetObjectKind().GroupVersionKind().Kind
		data, err := yaml.Marshal(object)
		if err != nil {
			return nil, fmt.Errorf("encode %s %s of the network: %w", kind, object.GetName(), err)
		}
		out[strings.ToLower(kind)+"-"+object.GetName()+".yaml"] = data
	}
	return out, nil
}
