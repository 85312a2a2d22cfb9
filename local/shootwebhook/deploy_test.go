package shootwebhook

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/local/api"
)

func TestDeployerWaitsForThePriorityClass(t *testing.T) {
	c := fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).Build()
	d := &Deployer{Client: c, Reader: c, Image: "gardener", Machines: api.Containers}
	deployed := func() error {
		return c.Get(t.Context(), client.ObjectKey{Namespace: Namespace, Name: name}, &appsv1.Deployment{})
	}
	if err := d.deploy(t.Context()); err == nil || deployed() == nil {
		t.Errorf("EXT-24 without the PriorityClass the seed would refuse the pod: %v, %v", err, deployed())
	}
	class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: constants.PriorityClassNameSeedSystem900}}
	if err := c.Create(t.Context(), class); err != nil {
		t.Fatal(err)
	}
	if err := d.deploy(t.Context()); err != nil || deployed() != nil {
		t.Errorf("EXT-24 with the PriorityClass: %v, %v", err, deployed())
	}
}
