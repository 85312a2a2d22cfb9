package shootwebhook

import (
	"context"
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
	"github.com/gardener-up/gardener-up/providers/reconcile"
)

// lost is a seed that may not act for its shoots.
type lost struct{}

func (lost) Guard(context.Context, *contract.Cluster) (context.Context, func(), error) {
	return nil, nil, errors.New("the shoot is another seed's")
}

// TestReconcile reconciles the webhooks of an Extension, which goes after the API server of its shoot.
func TestReconcile(t *testing.T) {
	const namespace = "shoot--a--b"
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		t.Fatal(err)
	}
	now := metav1.Now()
	plane := func(deleted bool) *extensionsv1alpha1.ControlPlane {
		cp := &extensionsv1alpha1.ControlPlane{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "b", Finalizers: []string{"x/y"}}}
		if deleted {
			cp.DeletionTimestamp = &now
		}
		return cp
	}
	const ends = `{"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"}}`
	for name, tc := range map[string]struct {
		shoot     string
		plane     *extensionsv1alpha1.ControlPlane
		before    bool // the ManagedResource was there
		ownership reconcile.Ownership
		want      bool // it is there afterwards
		again     bool
	}{
		"a shoot gets the webhooks":                                       {shoot: `{}`, plane: plane(false), want: true},
		"one that is deleted keeps them while its control plane is there": {shoot: ends, plane: plane(false), before: true, want: true, again: true},
		"they go with the control plane":                                  {shoot: ends, plane: plane(true), before: true, again: true},
		"they go from a shoot without a control plane":                    {shoot: ends, before: true, again: true},
		"they do not come back":                                           {shoot: ends, again: true},
		"a shoot on hold gets none":                                       {shoot: `{"status":{"lastOperation":{"state":"Failed"}}}`, plane: plane(false), again: true},
		"the shoot of another seed gets none":                             {shoot: `{}`, plane: plane(false), ownership: lost{}, again: true},
		"a shoot on hold may leave":                                       {shoot: `{"status":{"lastOperation":{"type":"Migrate","state":"Failed"}}}`, plane: plane(false), before: true, ownership: lost{}, again: true},
	} {
		t.Run("EXT-24 "+name, func(t *testing.T) {
			options := Options[*extensionsv1alpha1.Extension]{Webhooks: sky(pods()), Types: []string{"sky"}, Ownership: tc.ownership}
			certificates, key := options.Certificates(), client.ObjectKey{Namespace: namespace, Name: options.ResourceName()}
			objects := []client.Object{
				&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: certificates.Namespace, Name: certificates.Name}, Data: map[string][]byte{"ca.crt": []byte("x")}},
				&extensionsv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: namespace}, Spec: extensionsv1alpha1.ClusterSpec{
					Shoot: runtime.RawExtension{Raw: []byte(tc.shoot)}, Seed: runtime.RawExtension{Raw: []byte(`{}`)},
				}},
				&extensionsv1alpha1.Extension{
					ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "sky"},
					Spec:       extensionsv1alpha1.ExtensionSpec{DefaultSpec: extensionsv1alpha1.DefaultSpec{Type: "sky"}},
				},
			}
			if tc.plane != nil {
				objects = append(objects, tc.plane.DeepCopy())
			}
			if tc.before {
				objects = append(objects, &resourcesv1alpha1.ManagedResource{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}})
			}
			c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()
			r := &Reconciler[*extensionsv1alpha1.Extension, extensionsv1alpha1.Extension]{Client: c, Direct: c, Options: options}
			result, err := r.Reconcile(t.Context(), ctrlreconcile.Request{NamespacedName: key})
			if err != nil || result.IsZero() == tc.again {
				t.Errorf("looks again after %v, %v", result.RequeueAfter, err)
			}
			err = c.Get(t.Context(), key, &resourcesv1alpha1.ManagedResource{})
			if there := err == nil; there != tc.want || err != nil && !apierrors.IsNotFound(err) {
				t.Errorf("the ManagedResource is there: %t, %v", there, err)
			}
		})
	}
}
