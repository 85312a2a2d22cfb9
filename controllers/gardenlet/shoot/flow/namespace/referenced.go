package namespace

import (
	"context"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// labelReferenced marks copies of objects that the Shoot refers to.
var labelReferenced = map[string]string{constants.GardenRole: constants.GardenRoleResourceReference}

// DeployReferenced copies the Secrets and ConfigMaps in the resources of the Shoot, and deletes copies that it no
// longer refers to.
func (n Namespace) DeployReferenced(ctx context.Context) error {
	wanted := map[string]bool{}
	for _, resource := range n.Shoot.Spec.Resources {
		meta := metav1.ObjectMeta{
			Name: constants.ReferencedResourcesPrefix + resource.ResourceRef.Name, Namespace: n.Space.Name, Labels: maps.Clone(labelReferenced),
		}
		key := client.ObjectKey{Namespace: n.Shoot.Namespace, Name: resource.ResourceRef.Name}
		var copied client.Object
		switch kind := resource.ResourceRef.Kind; kind {
		case "Secret":
			source, err := operation.ReadSecret(ctx, n.GardenReader, key)
			if operation.Refused(err) && n.Shoot.DeletionTimestamp != nil {
				wanted[kind+"/"+meta.Name] = true // extensions keep the copy that they have, to clean up
				continue
			}
			if err != nil {
				return fmt.Errorf("resource %q: %w", resource.Name, err)
			}
			copied = &corev1.Secret{ObjectMeta: meta, Type: source.Type, Data: source.Data}
		case "ConfigMap":
			source := &corev1.ConfigMap{}
			if err := n.GardenReader.Get(ctx, key, source); err != nil {
				return fmt.Errorf("read referenced config map %q: %w", key, err)
			}
			copied = &corev1.ConfigMap{ObjectMeta: meta, Data: source.Data, BinaryData: source.BinaryData}
		default:
			return fmt.Errorf("resource %q is a %s, only Secrets and ConfigMaps can be referred to", resource.Name, kind)
		}
		if _, err := n.Space.Apply(ctx, copied); err != nil {
			return err
		}
		wanted[resource.ResourceRef.Kind+"/"+meta.Name] = true
	}
	return n.deleteStale(ctx, wanted)
}

// DeleteReferenced deletes all copies.
func (n Namespace) DeleteReferenced(ctx context.Context) error { return n.deleteStale(ctx, nil) }

// deleteStale deletes the copies that are not wanted.
func (n Namespace) deleteStale(ctx context.Context, wanted map[string]bool) error {
	secrets, configMaps := &corev1.SecretList{}, &corev1.ConfigMapList{}
	for _, list := range []client.ObjectList{secrets, configMaps} {
		if err := n.Space.Client.List(ctx, list, client.InNamespace(n.Space.Name), client.MatchingLabels(labelReferenced)); err != nil {
			return fmt.Errorf("list copies of referenced resources: %w", err)
		}
	}
	var stale []client.Object
	for i := range secrets.Items {
		if !wanted["Secret/"+secrets.Items[i].Name] {
			stale = append(stale, &secrets.Items[i])
		}
	}
	for i := range configMaps.Items {
		if !wanted["ConfigMap/"+configMaps.Items[i].Name] {
			stale = append(stale, &configMaps.Items[i])
		}
	}
	return n.Space.Delete(ctx, stale...)
}
