package deployed

import (
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/operator/host"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

// autoscaled is a Garden with settings of the vertical pod autoscaler.
func autoscaled(settings operatorv1alpha1.SettingVerticalPodAutoscaler) *operatorv1alpha1.Garden {
	return aGarden(func(g *operatorv1alpha1.Garden) {
		g.Spec.RuntimeCluster.Settings = &operatorv1alpha1.Settings{VerticalPodAutoscaler: &settings}
	})
}

// autoscalers are the namespaces and names of all recommenders and so on.
func (b *bench) autoscalers() (found []string) {
	b.Helper()
	list := &appsv1.DeploymentList{}
	if err := b.List(b.Context(), list); err != nil {
		b.Fatal(err)
	}
	for _, deployment := range list.Items {
		if slices.Contains([]string{"vpa-admission-controller", "vpa-recommender", "vpa-updater"}, deployment.Name) {
			found = append(found, deployment.Namespace+"/"+deployment.Name)
		}
	}
	return found
}

func (b *bench) kinds() (found []string) {
	b.Helper()
	list := &apiextensionsv1.CustomResourceDefinitionList{}
	if err := b.List(b.Context(), list); err != nil {
		b.Fatal(err)
	}
	for _, kind := range list.Items {
		found = append(found, kind.Name)
	}
	return found
}

func TestAutoscaler(t *testing.T) {
	b := newBench(t)
	all := []string{"garden/vpa-admission-controller", "garden/vpa-recommender", "garden/vpa-updater"}
	t.Run("OPR-2 OPR-7 a Garden that says nothing has a vertical pod autoscaler", func(t *testing.T) {
		b.deploy(aGarden())
		if found := b.autoscalers(); !slices.Equal(found, all) {
			t.Errorf("there are %v", found)
		}
		if kinds := b.kinds(); len(kinds) != 2 {
			t.Errorf("kinds %v", kinds)
		}
	})
	t.Run("OPR-2 the settings of the Garden reach it", func(t *testing.T) {
		b.deploy(autoscaled(operatorv1alpha1.SettingVerticalPodAutoscaler{
			FeatureGates: map[string]bool{"A": true}, MaxAllowed: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2")},
		}))
		b.wantArgs("vpa-recommender", "--container-recommendation-max-allowed-cpu=2", "--feature-gates=A=true")
	})
	t.Run("OPR-21 its Deployments count for the health of the runtime cluster", func(t *testing.T) {
		updater := b.deployment("vpa-updater")
		updater.Spec.Replicas = ptr.To[int32](0)
		if err := b.Update(t.Context(), updater); err != nil {
			t.Fatal(err)
		}
		if err := b.component("vpa-updater").Serves(t.Context()); err == nil {
			t.Error("it serves without pods")
		}
	})
	t.Run("OPR-2 it goes when the Garden does not want it, and nobody misses it", func(t *testing.T) {
		b.deploy(autoscaled(operatorv1alpha1.SettingVerticalPodAutoscaler{Enabled: ptr.To(false)}))
		if found := b.autoscalers(); len(found) != 0 {
			t.Errorf("there are %v", found)
		}
		if err := b.component("vpa-updater").Serves(t.Context()); err != nil {
			t.Error(err)
		}
	})
	t.Run("OPR-39 its kinds go with the Garden", func(t *testing.T) {
		b.deploy(aGarden())
		for range 2 {
			if err := b.host.Destroy(t.Context(), aGarden(), host.SystemComponents); err != nil {
				t.Fatal(err)
			}
		}
		if found, kinds := b.autoscalers(), b.kinds(); len(found)+len(kinds) != 0 {
			t.Errorf("left are %v and %v", found, kinds)
		}
	})
}

func TestOtherAutoscaler(t *testing.T) {
	kind := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: "verticalpodautoscalers.autoscaling.k8s.io"}}
	b := newBench(t, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "vpa-recommender"}}, kind)
	t.Run("OPR-2 a cluster with another vertical pod autoscaler gets none, and serves", func(t *testing.T) {
		b.deploy(aGarden())
		if found := b.autoscalers(); !slices.Equal(found, []string{"kube-system/vpa-recommender"}) {
			t.Errorf("there are %v", found)
		}
		if err := b.component("vpa-recommender").Serves(t.Context()); err != nil {
			t.Error(err)
		}
	})
	t.Run("OPR-39 kinds of others stay", func(t *testing.T) {
		if err := b.host.Destroy(t.Context(), aGarden(), host.SystemComponents); err != nil {
			t.Fatal(err)
		}
		if err := b.Get(t.Context(), client.ObjectKeyFromObject(kind), kind); err != nil {
			t.Error(err)
		}
	})
}
