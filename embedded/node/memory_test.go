package node

import "testing"

func TestMemoryLimit(t *testing.T) {
	for name, tc := range map[string]struct {
		total uint64
		args  []string
		want  uint64
	}{
		"a process may take half of the machine":        {16 << 30, []string{"component", "kube-apiserver"}, 8 << 30},
		"on a small machine it may take 2 GiB":          {3 << 30, []string{"component", "etcd"}, 2 << 30},
		"where nobody knows the memory, too":            {0, []string{"component", "etcd"}, 2 << 30},
		"what starts sandboxes does not limit them":     {16 << 30, []string{"component", "machine", "--name=machine"}, 0},
		"nobody has no limit by the value of an option": {16 << 30, []string{"component", "etcd", "machine"}, 8 << 30},
	} {
		if got := memoryLimit(tc.total)(tc.args); got != tc.want {
			t.Errorf("%s: got %d, want %d", name, got, tc.want)
		}
	}
}

func TestPodsCollectRarelyWhereThisProcessDoes(t *testing.T) {
	for own, want := range map[string]string{"": "", "off": "", "25": "", "100": "", "400": "400"} {
		t.Setenv("GOGC", own)
		if got := (Config{}).environment()["GOGC"]; got != want {
			t.Errorf("GOGC=%s: pods get %q, want %q", own, got, want)
		}
	}
}
