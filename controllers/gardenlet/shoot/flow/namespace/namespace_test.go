package namespace

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
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
			client := builder.Build()
			n := Namespace{
				Shoot: &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Name: "sun", UID: "sun"}}, Seed: &gardencorev1beta1.Seed{},
				Space: seed.New(name, "", client, nil, clocktesting.NewFakePassiveClock(metav1.Now().Time)),
			}
			err := n.Deploy(t.Context())
			if tc.refused && (err == nil || !strings.Contains(err.Error(), `namespace "shoot--sky--sun" of the seed belongs to a former shoot`)) || !tc.refused && err != nil {
				t.Fatalf("error %v", err)
			}
			got := &corev1.Namespace{}
			if err := client.Get(t.Context(), types.NamespacedName{Name: name}, got); err != nil {
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
