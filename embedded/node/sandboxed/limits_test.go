package sandboxed

import (
	"slices"
	"testing"

	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

func TestExcessive(t *testing.T) {
	a, b, c := measured{uid: "a", used: 50, most: 100}, measured{uid: "b", used: 70, most: 60}, measured{uid: "c", used: 80}
	for name, tc := range map[string]struct {
		pods []measured
		node int64
		want []string
	}{
		"a pod above its limit ends":                          {[]measured{a, b}, 1000, []string{"b"}},
		"a pod without a limit is bounded by its node":        {[]measured{a, c}, 120, []string{"c"}},
		"those that end for themselves count no more":         {[]measured{a, b}, 60, []string{"b"}},
		"as many as needed end, the largest first":            {[]measured{a, c}, 40, []string{"c", "a"}},
		"pods within all limits go on":                        {[]measured{a, c}, 130, nil},
		"without a limit of the node, pods without limits do": {[]measured{c}, 0, nil},
	} {
		t.Run("APP-11 "+name, func(t *testing.T) {
			var got []string
			for _, m := range excessive(tc.pods, tc.node) {
				got = append(got, m.uid)
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("%v end, want %v", got, tc.want)
			}
		})
	}
}

func TestScore(t *testing.T) {
	for asked, want := range map[int64]int{-997: leastScore, 2: leastScore, 999: 999, 1000: 1000, 5000: 1000} {
		config := &cri.ContainerConfig{Linux: &cri.LinuxContainerConfig{Resources: &cri.LinuxContainerResources{OomScoreAdj: asked}}}
		if got := scoreOf(config); got != want {
			t.Errorf("APP-11 the score of %d is %d, want %d", asked, got, want)
		}
	}
}
