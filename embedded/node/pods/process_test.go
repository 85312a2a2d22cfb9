package pods

import (
	"errors"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestJudge(t *testing.T) {
	genuine := func(*corev1.Pod) error { return nil }
	for name, tc := range map[string]struct {
		genuine func(*corev1.Pod) error
		want    []string
		reason  string
	}{
		"the landscape's own pods run what is of the appliance image": {genuine: genuine, want: []string{"real"}},
		"APP-19 other pods run nothing and say why":                   {genuine: func(*corev1.Pod) error { return errors.New("forged") }, reason: "forged"},
		"APP-19 nothing is genuine without anybody who could tell":    {},
	} {
		t.Run(name, func(t *testing.T) {
			judgement := Judge(pod(), isAppliance, tc.genuine)
			if !slices.Equal(judgement.Processes, tc.want) || judgement.Reason != tc.reason {
				t.Errorf("judgement is %+v", judgement)
			}
			adapted := Adapt(pod(), judgement, "/node/hostpaths", false)
			for _, container := range []string{"init", "real", "other"} {
				if runs, reason := Runs(adapted.Annotations, container); runs != slices.Contains(tc.want, container) || !runs && reason != tc.reason {
					t.Errorf("container %s runs: %t, because %q", container, runs, reason)
				}
			}
		})
	}
	t.Run("a pod without the appliance image needs no reason", func(t *testing.T) {
		other := pod()
		other.Spec.Containers = other.Spec.Containers[1:]
		if judgement := Judge(other, isAppliance, func(*corev1.Pod) error { return errors.New("forged") }); judgement.Reason != "" {
			t.Errorf("judgement is %+v", judgement)
		}
	})
}

func TestAdaptTrustsNoAnnotation(t *testing.T) {
	forged := pod()
	forged.Annotations = map[string]string{processesAnnotation: "real", reasonAnnotation: "none", "kept": "yes"}
	adapted := Adapt(forged, Judgement{}, "/node/hostpaths", false)
	if runs, reason := Runs(adapted.Annotations, "real"); runs || reason != "" || adapted.Annotations["kept"] != "yes" {
		t.Errorf("APP-19 annotations are %v", adapted.Annotations)
	}
}

func TestNothingOfASimulationReachesTheMachine(t *testing.T) {
	all := pod()
	all.Spec.EphemeralContainers = []corev1.EphemeralContainer{{EphemeralContainerCommon: corev1.EphemeralContainerCommon(container("debug", "appliance:v1", "driver"))}}
	all.Spec.Containers[1].TerminationMessagePath = "/etc/hosts"
	adapted := Adapt(all, Judgement{}, "/node/hostpaths", false)
	if len(adapted.Spec.Volumes) > 0 {
		t.Errorf("APP-19 volumes are %v", adapted.Spec.Volumes)
	}
	debugger := adapted.Spec.EphemeralContainers[0]
	if len(debugger.VolumeMounts) > 0 || len(debugger.Env) > 0 || debugger.Lifecycle != nil {
		t.Errorf("APP-19 the ephemeral container is %+v", debugger)
	}
	if path := adapted.Spec.Containers[1].TerminationMessagePath; path != "" {
		t.Errorf("APP-19 the kubelet reads a message from %s", path)
	}
}
