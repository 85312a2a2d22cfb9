package main

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	security "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/kubeversion"
	"github.com/gardener-up/gardener-up/examples"
)

// namespace of the example shoot.
const namespace = "garden-local"

// prepare creates the objects that the example shoot refers to.
func prepare(ctx context.Context, config *rest.Config) error {
	scheme := runtime.NewScheme()
	if err := install.AddGarden(scheme); err != nil {
		return err
	}
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return err
	}
	domain := metav1.ObjectMeta{
		Name: "default-domain", Namespace: constants.GardenNamespace,
		Labels:      map[string]string{constants.GardenRole: constants.GardenRoleDefaultDomain},
		Annotations: map[string]string{constants.DNSDomain: "example.org", constants.DNSProvider: "local"},
	}
	local := metav1.ObjectMeta{Name: "local", Namespace: namespace}
	owned := namespace
	for _, object := range []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}},
		&core.Project{ObjectMeta: metav1.ObjectMeta{Name: "local"}, Spec: core.ProjectSpec{Namespace: &owned}},
		&corev1.Secret{ObjectMeta: domain}, // every landscape has one
		&corev1.Secret{ObjectMeta: local},
		&security.CredentialsBinding{
			ObjectMeta: local, Provider: security.CredentialsBindingProvider{Type: "local"},
			CredentialsRef: corev1.ObjectReference{APIVersion: "v1", Kind: "Secret", Name: "local", Namespace: namespace},
		},
		&core.CloudProfile{ObjectMeta: metav1.ObjectMeta{Name: "local"}, Spec: core.CloudProfileSpec{
			Type:          "local",
			Kubernetes:    core.KubernetesSettings{Versions: []core.ExpirableVersion{{Version: kubeversion.Number}}},
			MachineImages: []core.MachineImage{{Name: "local", Versions: []core.MachineImageVersion{{ExpirableVersion: core.ExpirableVersion{Version: "1.0.0"}}}}},
			MachineTypes:  []core.MachineType{{Name: "local", CPU: resource.MustParse("2"), GPU: resource.MustParse("0"), Memory: resource.MustParse("4Gi")}},
			Regions:       []core.Region{{Name: "local", Zones: []core.AvailabilityZone{{Name: "0"}}}},
		}},
	} {
		if err := c.Create(ctx, object); err != nil {
			return fmt.Errorf("create %T: %w", object, err)
		}
	}
	return nil
}

// shoot returns the example shoot with another name.
func shoot(name string) ([]byte, error) {
	var object map[string]any
	if err := yaml.Unmarshal(examples.Shoot, &object); err != nil {
		return nil, err
	}
	object["metadata"] = map[string]any{"name": name, "namespace": namespace}
	return json.Marshal(object)
}

// configMap returns a ConfigMap with the given number of bytes of data.
func configMap(name string, size int) ([]byte, error) {
	data := make([]byte, size)
	for i := range data {
		data[i] = 'a' + byte(i%26)
	}
	return json.Marshal(corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace}, Data: map[string]string{"data": string(data)},
	})
}
