package controlplanes

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func TestJudge(t *testing.T) {
	type look []workload
	api := func(wanted, ready int32) workload {
		return workload{namespace: "shoot--dev--a", name: "kube-apiserver", uid: "a", wanted: wanted, ready: ready}
	}
	leaving := api(1, 0)
	leaving.leaves = true
	elsewhere := api(1, 1)
	elsewhere.namespace = "garden"
	lostElsewhere := elsewhere
	lostElsewhere.ready = 0
	for name, tc := range map[string]struct {
		looks []look
		want  string
	}{
		"what starts is not ill":                               {[]look{{api(1, 0)}}, ""},
		"what serves is well":                                  {[]look{{api(1, 0)}, {api(1, 1)}}, ""},
		"APP-10 what served and hangs is told":                 {[]look{{api(1, 1)}, {api(1, 0)}}, "does not serve: shoot--dev--a/kube-apiserver"},
		"APP-10 it is told as long as it hangs":                {[]look{{api(1, 1)}, {api(1, 0)}, {api(1, 0)}}, "does not serve: shoot--dev--a/kube-apiserver"},
		"APP-10 it is well when it serves again":               {[]look{{api(1, 1)}, {api(1, 0)}, {api(1, 1)}}, ""},
		"APP-10 one of two that hangs is told":                 {[]look{{api(2, 2)}, {api(2, 1)}}, "does not serve: shoot--dev--a/kube-apiserver"},
		"what is scaled up starts":                             {[]look{{api(1, 1)}, {api(2, 1)}}, ""},
		"what is scaled down is well":                          {[]look{{api(2, 2)}, {api(1, 1)}}, ""},
		"what wakes up starts":                                 {[]look{{api(1, 1)}, {api(0, 0)}, {api(1, 0)}}, ""},
		"what is deleted is not ill":                           {[]look{{api(1, 1)}, {leaving}}, ""},
		"what is made again starts":                            {[]look{{api(1, 1)}, {}, {api(1, 0)}}, ""},
		"the system components of a seed are told by its Seed": {[]look{{elsewhere}, {lostElsewhere}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			known, got := seen{}, ""
			for _, look := range tc.looks {
				var ailing []workload
				known, ailing = known.judge(look)
				got = text(ailing)
			}
			if got != tc.want {
				t.Errorf("told %q, want %q", got, tc.want)
			}
		})
	}
}

func TestManyAreCounted(t *testing.T) {
	var serve, hang []workload
	for n := range 7 {
		w := workload{namespace: "shoot--dev--a", name: fmt.Sprintf("part-%d", n), uid: types.UID(fmt.Sprint(n)), wanted: 1, ready: 1}
		serve = append(serve, w)
		w.ready = 0
		hang = append(hang, w)
	}
	known, _ := seen{}.judge(serve)
	_, ailing := known.judge(hang)
	if got := text(ailing); !strings.HasSuffix(got, "part-4 and 2 more") {
		t.Errorf("told %q", got)
	}
}

func TestPatience(t *testing.T) {
	start := time.Now()
	w := workload{namespace: "shoot--dev--a", name: "kube-apiserver", uid: "a"}
	type look struct {
		after time.Duration
		ails  bool
		hangs bool
	}
	for name, tc := range map[string]struct {
		looks []look
		want  bool
	}{
		"APP-10 what only starts again is given a moment":    {[]look{{0, true, false}, {9 * time.Second, true, false}}, false},
		"APP-10 what does not come back is told":             {[]look{{0, true, false}, {10 * time.Second, true, false}}, true},
		"APP-10 what hangs is told at once":                  {[]look{{0, true, true}}, true},
		"APP-10 each time is given a moment":                 {[]look{{0, true, false}, {9 * time.Second, false, false}, {12 * time.Second, true, false}}, false},
		"APP-10 it is told as long as it does not come back": {[]look{{0, true, false}, {10 * time.Second, true, false}, {20 * time.Second, true, false}}, true},
		"APP-10 what has come back is well":                  {[]look{{0, true, false}, {10 * time.Second, true, false}, {20 * time.Second, false, false}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			known, told := ill{}, []workload(nil)
			for _, look := range tc.looks {
				var ailing []workload
				if look.ails {
					ailing = append(ailing, w)
				}
				known, told = known.note(ailing, start.Add(look.after), func(workload) bool { return look.hangs })
			}
			if (len(told) > 0) != tc.want {
				t.Errorf("told %v", told)
			}
		})
	}
}

func TestHang(t *testing.T) {
	now := time.Now()
	pod := func(since time.Duration, ready bool) corev1.Pod {
		running := &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(now.Add(-since))}
		return corev1.Pod{Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Ready: ready, State: corev1.ContainerState{Running: running}}}}}
	}
	leaving, crashed := pod(time.Hour, false), pod(time.Hour, false)
	leaving.DeletionTimestamp = &metav1.Time{Time: now}
	crashed.Status.ContainerStatuses[0].State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{}}
	for name, tc := range map[string]struct {
		pods []corev1.Pod
		want bool
	}{
		"APP-10 a process that runs without an answer hangs": {[]corev1.Pod{pod(time.Hour, true), pod(time.Hour, false)}, true},
		"APP-10 one that has just started does not":          {[]corev1.Pod{pod(9*time.Second, false)}, false},
		"APP-10 one that serves does not":                    {[]corev1.Pod{pod(time.Hour, true)}, false},
		"APP-10 one that leaves does not":                    {[]corev1.Pod{leaving}, false},
		"APP-10 one that has ended does not":                 {[]corev1.Pod{crashed}, false},
		"APP-10 no pod is no hanging pod":                    {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := hang(tc.pods, now); got != tc.want {
				t.Errorf("hangs: %v", got)
			}
		})
	}
}
