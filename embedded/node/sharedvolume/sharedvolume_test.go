package sharedvolume

import "testing"

func TestName(t *testing.T) {
	if name, ok := Name(Path("pvc-1")); name != "pvc-1" || !ok {
		t.Errorf("got %q, %t", name, ok)
	}
	for _, path := range []string{
		"/var/lib/shoot-volumes", "/var/lib/shoot-volumes/", "/var/lib/shoot-volumes/pvc-1/deeper", "/var/lib/shoot-volumes/..", "/var/lib/shoot-volumes/../pvc-1",
		"/var/lib/shoot-volumes/.", "/mnt/data", "/", "", "var/lib/shoot-volumes/pvc-1",
	} {
		t.Run("APP-16 no volume: "+path, func(t *testing.T) {
			if name, ok := Name(path); ok {
				t.Errorf("it has the name %q", name)
			}
		})
	}
}

func TestDir(t *testing.T) {
	t.Setenv(Variable, "/volumes")
	if got := Dir("shoot--a--b"); got != "/volumes/shoot--a--b" {
		t.Errorf("got %q", got)
	}
	if got := Dir(""); got != "" {
		t.Errorf("without a namespace it is %q, where all shoots have their volumes", got)
	}
	t.Setenv(Variable, "")
	if got := Dir("shoot--a--b"); got != "" {
		t.Errorf("on a node that is not embedded it is %q", got)
	}
}
