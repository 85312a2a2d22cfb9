package local_test

import (
	"context"
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1 "k8s.io/api/core/v1"

	"github.com/gardener-up/gardener-up/local/api"
	localmachine "github.com/gardener-up/gardener-up/local/machine"
	"github.com/gardener-up/gardener-up/local/machine/container"
	"github.com/gardener-up/gardener-up/providers/contract/machine"
)

func TestContainersUpdateThemselves(t *testing.T) {
	driver, ok := localmachine.NewDriver(seed, "gardener").(machine.Updater)
	if !ok {
		t.Fatal("the driver does not update machines in place")
	}
	request := containerRequest("node-u1")
	order := container.Order{
		Namespace: namespace, Machine: request.Machine.Name, Class: "containers", Node: "node", ProviderID: "local:///node", Image: "kindest/node:v1.36.3", UserData: []byte("boot"),
	}.Secret()
	if err := seed.Create(t.Context(), order); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		secret := &corev1.Secret{}
		if seed.Get(context.Background(), client.ObjectKeyFromObject(order), secret) == nil {
			secret.Finalizers = nil
			_ = seed.Update(context.Background(), secret)
			_ = seed.Delete(context.Background(), secret)
		}
	})
	t.Run("API-16 a container with the same image is updated by its node agent", func(t *testing.T) {
		if done, err := driver.Update(t.Context(), request); done || !errors.Is(err, machine.ErrSelf) {
			t.Errorf("done %t, error %v", done, err)
		}
	})
	t.Run("API-16 a container cannot take another image", func(t *testing.T) {
		spec := api.MachineSpec{TypeMeta: api.Meta("MachineSpec"), Runtime: api.Containers, NodeImage: "kindest/node:v2"}
		request.Class.ProviderSpec = runtime.RawExtension{Raw: api.Encode(spec).Raw}
		if done, err := driver.Update(t.Context(), request); done || machine.CodeOf(err) != machine.InvalidArgument {
			t.Errorf("done %t, error %v", done, err)
		}
	})
}
