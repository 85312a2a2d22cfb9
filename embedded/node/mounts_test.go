package node

import "testing"

func TestBase(t *testing.T) {
	c := Config{RootDir: "/node", SharedVolumes: "/volumes/shoot--a--b"}
	for name, tc := range map[string]struct{ path, want string }{
		"a volume":               {"/node/pods/1/volumes/kubernetes.io~empty-dir/data", "/node/pods/1/volumes/kubernetes.io~empty-dir/data"},
		"a sub path of a volume": {"/node/pods/1/volumes/kubernetes.io~empty-dir/data/a/b", "/node/pods/1/volumes/kubernetes.io~empty-dir/data"},
		"a file that the kubelet keeps for the pod":    {"/node/pods/1/etc-hosts", "/node/pods/1"},
		"a directory that stands for the machine's":    {"/node/hostpaths/var/log", "/node/hostpaths"},
		"APP-16 a PersistentVolume":                    {"/volumes/shoot--a--b/pvc-1", "/volumes/shoot--a--b/pvc-1"},
		"APP-16 a directory in a PersistentVolume":     {"/volumes/shoot--a--b/pvc-1/a/b", "/volumes/shoot--a--b/pvc-1"},
		"APP-19 all volumes of the shoot":              {"/volumes/shoot--a--b", ""},
		"APP-19 a volume of another shoot":             {"/volumes/shoot--a--c/pvc-1", ""},
		"APP-14 a volume of another pod":               {"/node/pods/2/volumes/kubernetes.io~empty-dir/data", ""},
		"APP-14 all volumes of the pod":                {"/node/pods/1/volumes", ""},
		"APP-14 all volumes of a kind":                 {"/node/pods/1/volumes/kubernetes.io~secret", ""},
		"APP-14 credentials of the node":               {"/node/pki", ""},
		"APP-14 a directory of the machine":            {"/etc", ""},
		"APP-14 a way out by names":                    {"/node/hostpaths/../pki", ""},
		"APP-14 a directory whose name is a beginning": {"/node/hostpaths2", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := c.base("1", tc.path); got != tc.want || (err == nil) != (tc.want != "") {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
	seed := Config{RootDir: "/node", Volumes: "/volumes"}
	for path, want := range map[string]string{
		"/volumes/pvc-1/a": "/volumes/pvc-1", "/volumes": "", "/volumes/.shoots/shoot--a--b/pvc-1": "", "/volumes/pvc-1/../.shoots/a": "",
	} {
		if got, _ := seed.base("1", path); got != want {
			t.Errorf("APP-16 a pod of a seed may mount %s from %q, want %q", path, got, want)
		}
	}
	for _, uid := range []string{"", "..", "../pods/1", "."} {
		if got, err := c.base(uid, "/node/pods/x"); err == nil {
			t.Errorf("APP-14 a pod with the UID %q may have mounts in %s", uid, got)
		}
	}
}
