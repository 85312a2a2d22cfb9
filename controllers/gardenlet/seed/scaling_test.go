package seed

import (
	"slices"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

func TestScalingKinds(t *testing.T) {
	const hvpas, autoscalers, checkpoints = "hvpas.autoscaling.k8s.io", "verticalpodautoscalers.autoscaling.k8s.io", "verticalpodautoscalercheckpoints.autoscaling.k8s.io"
	definition := func(name, sum string) *apiextensionsv1.CustomResourceDefinition {
		out := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if sum != "" {
			out.Annotations = map[string]string{annotationChecksum: sum}
		}
		return out
	}
	for name, tc := range map[string]struct {
		on            bool
		before        []client.Object
		want, foreign []string // by name; foreign ones are as they were
	}{
		"GLT-41 a seed whose etcds are scaled has the kinds":           {true, nil, []string{hvpas, checkpoints, autoscalers}, nil},
		"GLT-41 the autoscaler of somebody else stays as it is":        {true, []client.Object{definition(autoscalers, "")}, []string{hvpas, checkpoints, autoscalers}, []string{autoscalers}},
		"GLT-41 an outdated kind is updated":                           {true, []client.Object{definition(hvpas, "old")}, []string{hvpas, checkpoints, autoscalers}, nil},
		"GLT-41 a seed whose etcds are not scaled gets none":           {false, nil, nil, nil},
		"GLT-41 when the gate is switched off, the kind Hvpa goes":     {false, []client.Object{definition(hvpas, "old"), definition(autoscalers, "old")}, []string{autoscalers}, nil},
		"GLT-41 but not if somebody else has brought it into the seed": {false, []client.Object{definition(hvpas, "")}, []string{hvpas}, []string{hvpas}},
	} {
		t.Run(name, func(t *testing.T) {
			scheme := runtime.NewScheme()
			if err := install.AddSeed(scheme); err != nil {
				t.Fatal(err)
			}
			cluster := fake.NewClientBuilder().WithScheme(scheme).WithObjects(tc.before...).Build()
			r := &Reconciler{SeedClient: cluster, ScaleEtcds: tc.on, crds: &crdInstaller{client: cluster}}
			if err := r.parts().scaling.deploy(t.Context()); err != nil {
				t.Fatal(err)
			}
			list := &apiextensionsv1.CustomResourceDefinitionList{}
			if err := cluster.List(t.Context(), list); err != nil {
				t.Fatal(err)
			}
			var got, foreign []string
			for i := range list.Items {
				got = append(got, list.Items[i].Name)
				if list.Items[i].Annotations[annotationChecksum] == "" {
					foreign = append(foreign, list.Items[i].Name)
				}
			}
			if !slices.Equal(got, tc.want) || !slices.Equal(foreign, tc.foreign) {
				t.Errorf("definitions are %v, want %v; foreign are %v, want %v", got, tc.want, foreign, tc.foreign)
			}
		})
	}
}
