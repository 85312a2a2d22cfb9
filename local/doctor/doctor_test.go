package doctor

import (
	"errors"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/local/containers"
)

func TestCheckVersion(t *testing.T) {
	for name, tc := range map[string]struct {
		engine, version string
		want            State
	}{
		"an engine that is new enough":            {"docker", "28.2.2", OK},
		"the oldest that works":                   {"docker", "20.10.0", OK},
		"one that is too old":                     {"docker", "19.03.15", Problem},
		"a containerd of nerdctl that is too old": {"containerd", "1.6.20~ds1", Problem},
		"a version nobody can compare":            {"podman", "rolling", Warning},
		"an engine without a known minimum":       {"other", "1.0", OK},
	} {
		t.Run(name, func(t *testing.T) {
			got := checkVersion(containers.Endpoint{Name: tc.engine}, tc.version)
			if got.State != tc.want || got.State != OK && got.Cure == "" {
				t.Errorf("finding is %+v, want %s, with a cure unless ok", got, tc.want)
			}
		})
	}
}

func TestJudgeCgroups(t *testing.T) {
	for name, tc := range map[string]struct {
		engine, version string
		want            State
	}{
		"version 2":                           {"nerdctl", "2", OK},
		"a version that is not told":          {"docker", "", Warning},
		"version 1":                           {"podman", "1", Warning},
		"version 1, which kind cannot handle": {"nerdctl", "1", Problem},
	} {
		t.Run(name, func(t *testing.T) {
			got := judgeCgroups(tc.engine, tc.version)
			if got.State != tc.want || got.State != OK && got.Cure == "" {
				t.Errorf("finding is %+v, want %s, with a cure unless ok", got, tc.want)
			}
		})
	}
}

func TestBounding(t *testing.T) {
	for name, tc := range map[string]struct {
		status string
		want   bool
	}{
		"a full set":           {"Name:\tx\nCapBnd:\t000001ffffffffff\n", true},
		"a set that lacks it":  {"Name:\tx\nCapBnd:\t000001fffeffffff\n", false},
		"a status without any": {"Name:\tx\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := bounding(tc.status, capSysResource); got != tc.want {
				t.Errorf("CAP_SYS_RESOURCE is there: %v, want %v", got, tc.want)
			}
		})
	}
}

func TestJudgeDisk(t *testing.T) {
	if f := judgeDisk("/d", 100<<30); f.State != OK {
		t.Errorf("100 GiB: %+v", f)
	}
	if f := judgeDisk("/d", 1<<30); f.State != Problem || !strings.Contains(f.Message, "1024 MiB") || f.Cure == "" {
		t.Errorf("1 GiB: %+v", f)
	}
}

func TestCheckInotify(t *testing.T) {
	few := func(string) (int, error) { return 128, nil }
	findings := checkInotify(few)
	if len(findings) != 2 || findings[0].State != Warning || findings[0].Cure != "sysctl fs.inotify.max_user_instances=512" {
		t.Errorf("few: %+v", findings)
	}
	if findings := checkInotify(func(string) (int, error) { return 1 << 20, nil }); findings[0].State != OK || findings[1].State != OK {
		t.Errorf("many: %+v", findings)
	}
	if findings := checkInotify(func(string) (int, error) { return 0, errors.New("none") }); len(findings) != 0 {
		t.Errorf("a machine without these limits: %+v", findings)
	}
}

func TestError(t *testing.T) {
	if err := Error([]Finding{{State: OK}, {State: Warning, Message: "w"}}); err != nil {
		t.Errorf("warnings are an error: %v", err)
	}
	err := Error([]Finding{{Check: "a", State: Problem, Message: "m1", Cure: "c1"}, {Check: "b", State: Problem, Message: "m2", Cure: "c2"}})
	if err == nil || !strings.Contains(err.Error(), "a: m1; c1") || !strings.Contains(err.Error(), "b: m2; c2") {
		t.Errorf("error is %v, want both problems with their cures", err)
	}
}
