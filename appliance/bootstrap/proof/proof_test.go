package proof

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestJudge(t *testing.T) {
	waiting := func(reason, message string) corev1.PodStatus {
		return corev1.PodStatus{Phase: corev1.PodPending, ContainerStatuses: []corev1.ContainerStatus{{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}}}}
	}
	for name, tc := range map[string]struct {
		status      corev1.PodStatus
		doing, fail string
	}{
		"a pod that has succeeded":               {status: corev1.PodStatus{Phase: corev1.PodSucceeded}},
		"a pod whose image is pulled":            {status: waiting("ContainerCreating", ""), doing: "ContainerCreating"},
		"a pod whose image is nowhere":           {status: waiting("ErrImagePull", "manifest unknown"), fail: "ErrImagePull: manifest unknown"},
		"a pod whose image is not pulled at all": {status: waiting("ErrImageNeverPull", "not present"), fail: "the image is not there: not present"},
		"a pod that no node takes": {
			status: corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable", Message: "no room"}}},
			doing:  "Unschedulable: no room",
		},
		"a pod that has failed": {
			status: corev1.PodStatus{Phase: corev1.PodFailed, ContainerStatuses: []corev1.ContainerStatus{{State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 8, Message: "exec format error"}}}}},
			fail:   "exit code 8 exec format error",
		},
		"a pod that has only been made": {doing: "it is starting"},
	} {
		t.Run("APP-25 "+name, func(t *testing.T) {
			pod := Pod("registry.example.org/gardener:v1", "amd64")
			pod.Status = tc.status
			doing, err := judge(pod)
			if doing != tc.doing || (err == nil) != (tc.fail == "") || err != nil && !strings.Contains(err.Error(), tc.fail) {
				t.Errorf("doing %q, error %v", doing, err)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	for name, tc := range map[string]struct{ printed, want string }{
		"the image of this version":    {`{"gardener": "v1"}`, ""},
		"the image of another version": {`{"gardener": "v2"}`, "the image is that of version v2, and this program is v1"},
		"the image of another program": {"hello", "not that of this program"},
		"an image that prints nothing": {"", "not that of this program"},
		"a pod without a version":      {"{}", "not that of this program"},
	} {
		t.Run("APP-25 "+name, func(t *testing.T) {
			err := check([]byte(tc.printed), "v1")
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}
