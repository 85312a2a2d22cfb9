package local_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

// changedCredentials changes the Secret that two classes use. No Worker asks for anything meanwhile.
func changedCredentials(t *testing.T) {
	const ns = "shoot--local--credentials"
	secret := func(name, purpose string, data map[string]string) *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name, Labels: map[string]string{"gardener.cloud/purpose": purpose}}, StringData: data}
	}
	class := func(name, credentials string) *machinev1alpha1.MachineClass {
		return &machinev1alpha1.MachineClass{
			ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}, Provider: "local", ProviderSpec: runtime.RawExtension{Raw: []byte("{}")},
			SecretRef:            &corev1.SecretReference{Namespace: ns, Name: name},
			CredentialsSecretRef: &corev1.SecretReference{Namespace: ns, Name: credentials},
		}
	}
	cloud := secret("cloudprovider", "cloudprovider", map[string]string{"key": "old"})
	for _, obj := range []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns}}, cloud,
		class("one", "cloudprovider"), class("two", "cloudprovider"), class("other", "others"), class("unwritten", "cloudprovider"),
		secret("one", "machineclass", map[string]string{"userData": "first"}),
		secret("two", "machineclass", map[string]string{"userData": "second", "key": "old"}),
		secret("other", "machineclass", map[string]string{"userData": "third"}),
	} {
		if err := seed.Create(t.Context(), obj); err != nil {
			t.Fatalf("create %T: %v", obj, err)
		}
	}
	before := cloud.DeepCopy()
	cloud.Data = map[string][]byte{"secret": []byte("new")}
	if err := seed.Patch(t.Context(), cloud, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	late := []client.Object{class("late", "cloudprovider"), secret("late", "machineclass", map[string]string{"userData": "last", "key": "old"})}
	for _, obj := range late {
		if err := seed.Create(t.Context(), obj); err != nil {
			t.Fatalf("create %T: %v", obj, err)
		}
	}
	data := func(name string) string {
		found := &corev1.Secret{}
		mustGet(t, found, ns, name)
		return fmt.Sprintf("%s", found.Data)
	}
	for name, want := range map[string]string{"one": "map[secret:new userData:first]", "two": "map[secret:new userData:second]", "late": "map[secret:new userData:last]"} {
		eventually(t, name+" has "+want, func() bool { return data(name) == want })
	}
	if got := data("other"); got != "map[userData:third]" {
		t.Errorf("the class with other credentials has %s", got)
	}
}
