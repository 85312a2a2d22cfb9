package lifecycle

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

func TestClusterOfAShootThatComesBack(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		t.Fatal(err)
	}
	cluster := &extensionsv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "shoot--sky--sun", Annotations: map[string]string{"shoot.gardener.cloud/taken": "true", "other": "yes"}}}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(cluster).Build()
	op := &operation.Operation{
		CloudProfile: &gardencorev1beta1.CloudProfile{}, Seed: &gardencorev1beta1.Seed{},
		Shoot: &gardencorev1beta1.Shoot{Status: gardencorev1beta1.ShootStatus{TechnicalID: cluster.Name}},
	}
	if err := syncCluster(t.Context(), c, op, op.Shoot); err != nil {
		t.Fatal(err)
	}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(cluster), cluster); err != nil || len(cluster.Annotations) != 1 || cluster.Annotations["other"] != "yes" {
		t.Errorf("MIG-15 annotations %v, %v", cluster.Annotations, err)
	}
}
