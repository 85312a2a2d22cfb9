package namespace

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestDeploy(t *testing.T) {
	const name = "shoot--sky--sun"
	for title, tc := range map[string]struct {
		annotations map[string]string // of the namespace that is there; nil if there is none
		refused     bool
	}{
		"MIG-15 the namespace of a former shoot of the name is refused": {map[string]string{"shoot.gardener.cloud/uid": "former"}, true},
		"the namespace of the shoot is kept":                            {map[string]string{"shoot.gardener.cloud/uid": "sun"}, false},
		"a namespace that says nothing is taken":                        {map[string]string{}, false},
		"a new one is made":                                             {nil, false},
	} {
		t.Run(title, func(t *testing.T) {
			builder := fake.NewClientBuilder()
			if tc.annotations != nil {
				builder.WithObjects(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: tc.annotations}})
			}
			c := builder.Build()
			n := Namespace{
				Shoot: &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Name: "sun", UID: "sun"}}, Seed: &gardencorev1beta1.Seed{},
				Space: seed.New(name, "", c, nil, clocktesting.NewFakePassiveClock(metav1.Now().Time)),
			}
			err := n.Deploy(t.Context())
			if tc.refused && (err == nil || !strings.Contains(err.Error(), `namespace "shoot--sky--sun" of the seed belongs to a former shoot`)) || !tc.refused && err != nil {
				t.Fatalf("error %v", err)
			}
			got := &corev1.Namespace{}
			if err := c.Get(t.Context(), types.NamespacedName{Name: name}, got); err != nil {
				t.Fatal(err)
			}
			want := "sun"
			if tc.refused {
				want = "former"
			}
			if uid := got.Annotations["shoot.gardener.cloud/uid"]; uid != want {
				t.Errorf("UID %q, want %q", uid, want)
			}
		})
	}
}

func TestDelete(t *testing.T) {
	pod := func(namespace string) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "machine"}}
	}
	c := fake.NewClientBuilder().WithObjects(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shoot--p--s"}}, pod("shoot--p--s"), pod("shoot--p--other")).Build()
	n := Namespace{Space: seed.New("shoot--p--s", "", c, nil, clock.RealClock{})}
	for range 2 { // the second time there is nothing left to delete
		if err := n.Delete(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("GLT-34 MIG-3 what runs in the namespace ends at once", func(t *testing.T) {
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(pod("shoot--p--s")), &corev1.Pod{}); !apierrors.IsNotFound(err) {
			t.Errorf("the pod: %v", err)
		}
	})
	t.Run("GLT-34 nothing else does", func(t *testing.T) {
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(pod("shoot--p--other")), &corev1.Pod{}); err != nil {
			t.Error(err)
		}
	})
}
