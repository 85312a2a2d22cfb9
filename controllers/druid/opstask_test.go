package druid_test

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

// tasks makes tasks that cannot be done. e2e/backup has one that is done.
func tasks(t *testing.T, c client.Client) {
	ctx := t.Context()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shoot--p--t"}}
	must(t, c.Create(ctx, namespace))
	t.Run("a task for an etcd that does not exist is rejected, and deleted after its time", func(t *testing.T) {
		task := &druidv1alpha1.EtcdOpsTask{ObjectMeta: metav1.ObjectMeta{Namespace: namespace.Name, Name: "backup"}, Spec: druidv1alpha1.EtcdOpsTaskSpec{
			EtcdName: ptr.To("nobody"), TTLSecondsAfterFinished: ptr.To[int32](2),
			Config: druidv1alpha1.EtcdOpsTaskConfig{OnDemandSnapshot: &druidv1alpha1.OnDemandSnapshotConfig{Type: druidv1alpha1.OnDemandSnapshotTypeFull}},
		}}
		must(t, c.Create(ctx, task))
		eventually(t, func() error {
			must(t, c.Get(ctx, client.ObjectKeyFromObject(task), task))
			status := task.Status
			if ptr.Deref(status.State, "") != druidv1alpha1.EtcdOpsTaskStateRejected || len(status.LastErrors) != 1 || !strings.Contains(status.LastErrors[0].Description, "nobody") {
				return fmt.Errorf("status %+v", status)
			}
			return nil
		})
		eventually(t, func() error {
			if err := c.Get(ctx, client.ObjectKeyFromObject(task), task); !apierrors.IsNotFound(err) {
				return fmt.Errorf("task: %v", err)
			}
			return nil
		})
	})
}
