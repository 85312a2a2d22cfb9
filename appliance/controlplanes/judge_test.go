package controlplanes

import (
	"fmt"
	"strings"
	"testing"

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
				known, got = known.judge(look)
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
	if _, text := known.judge(hang); !strings.HasSuffix(text, "part-4 and 2 more") {
		t.Errorf("told %q", text)
	}
}
