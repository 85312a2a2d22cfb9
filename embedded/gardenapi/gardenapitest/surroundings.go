package gardenapitest

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensions "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

// surroundings creates the objects that admission plugins demand for almost every seed and shoot: the garden namespace
// with the Secrets dns and backup, and on demand a ControllerRegistration "surroundings".
func (g *Garden) surroundings(ctx context.Context, register bool) error {
	scheme := runtime.NewScheme()
	if err := install.AddGarden(scheme); err != nil {
		return err
	}
	c, err := client.New(g.Config, client.Options{Scheme: scheme})
	if err != nil {
		return err
	}
	secret := func(name string) *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: constants.GardenNamespace, Name: name}, Data: map[string][]byte{"key": []byte("value")}}
	}
	objects := []client.Object{&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: constants.GardenNamespace}}, secret("dns"), secret("backup")}
	if register {
		objects = append(objects, registration())
	}
	for _, object := range objects {
		if err := c.Create(ctx, object); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("create %T %q: %w", object, object.GetName(), err)
		}
	}
	return nil
}

// registration registers all extension kinds of type local, the networks calico and cilium, and the extension foo.
func registration() *core.ControllerRegistration {
	out := &core.ControllerRegistration{ObjectMeta: metav1.ObjectMeta{Name: "surroundings"}}
	register := func(kind, typ string) {
		out.Spec.Resources = append(out.Spec.Resources, core.ControllerResource{Kind: kind, Type: typ})
	}
	for _, kind := range []string{
		extensions.BackupBucketResource, extensions.BackupEntryResource, extensions.BastionResource, extensions.ContainerRuntimeResource,
		extensions.ControlPlaneResource, extensions.DNSRecordResource, extensions.ExtensionResource, extensions.InfrastructureResource,
		extensions.OperatingSystemConfigResource, extensions.WorkerResource,
	} {
		register(kind, "local")
	}
	register(extensions.NetworkResource, "calico")
	register(extensions.NetworkResource, "cilium")
	register(extensions.ExtensionResource, "foo")
	return out
}
