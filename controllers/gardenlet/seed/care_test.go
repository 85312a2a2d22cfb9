package seed

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestStarting(t *testing.T) {
	now := time.Now()
	progressing := func(status corev1.ConditionStatus, reason string) []appsv1.DeploymentCondition {
		return []appsv1.DeploymentCondition{{Type: appsv1.DeploymentAvailable, Status: "False"}, {Type: appsv1.DeploymentProgressing, Status: status, Reason: reason}}
	}
	for name, tc := range map[string]struct {
		conditions []appsv1.DeploymentCondition
		age        time.Duration
		want       bool
	}{
		"a Deployment without a status is starting":                     {age: time.Second, want: true},
		"an old Deployment without a status is not":                     {age: time.Hour, want: false},
		"one whose first pods are made is starting, however long":       {progressing("True", "ReplicaSetUpdated"), time.Hour, true},
		"one that took too long is not":                                 {progressing("False", "ProgressDeadlineExceeded"), time.Hour, false},
		"one whose pods ran once is broken when they do not any more":   {progressing("True", "NewReplicaSetAvailable"), time.Second, false},
		"one that only says that it is not available counts by its age": {[]appsv1.DeploymentCondition{{Type: appsv1.DeploymentAvailable, Status: "False"}}, time.Hour, false},
	} {
		t.Run(name, func(t *testing.T) {
			deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(now.Add(-tc.age))}, Status: appsv1.DeploymentStatus{Conditions: tc.conditions}}
			if got := starting(deployment, now); got != tc.want {
				t.Errorf("starting: %t", got)
			}
		})
	}
}
