package conformance

import (
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/randfill"
)

// filler makes random content that JSON can carry. The same seed makes the same content.
func filler(seed int64) *randfill.Filler {
	return randfill.NewWithSeed(seed).NilChance(0.3).NumElements(1, 3).MaxDepth(20).Funcs(
		func(*metav1.TypeMeta, randfill.Continue) {},
		func(f *metav1.ObjectMeta, c randfill.Continue) {
			f.Name, f.Namespace, f.Labels = c.String(20), c.String(20), map[string]string{c.String(5): c.String(5)}
		},
		func(f *metav1.ListMeta, c randfill.Continue) { f.ResourceVersion = c.String(5) },
		func(f *metav1.Time, c randfill.Continue) { *f = metav1.Unix(c.Int63n(4e9), 0) },
		func(f *metav1.MicroTime, c randfill.Continue) { *f = metav1.NewMicroTime(time.Unix(c.Int63n(4e9), 0)) },
		func(f *metav1.Duration, c randfill.Continue) { f.Duration = time.Duration(c.Int63n(1e15)) },
		func(f *metav1.FieldsV1, _ randfill.Continue) { f.SetRawBytes([]byte(`{}`)) },
		func(f *resource.Quantity, c randfill.Continue) {
			*f = *resource.NewQuantity(c.Int63n(1e12), resource.DecimalSI)
		},
		func(f *intstr.IntOrString, c randfill.Continue) { *f = intstr.FromInt32(c.Int31()) },
		func(f *runtime.RawExtension, c randfill.Continue) { f.Raw, f.Object = []byte(`{"a":[1,"b"]}`), nil },
		func(f *apiextensionsv1.JSON, _ randfill.Continue) { f.Raw = []byte(`{"a":null}`) },
		func(f *float64, c randfill.Continue) { *f = float64(c.Int31n(1000)) / 8 },
	)
}
