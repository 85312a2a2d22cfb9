package app

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"k8s.io/klog/v2"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/state"
)

// endHow and endDir tell a process that this test starts how to end, and in which state directory.
const endHow, endDir = "GARDENER_TEST_END", "GARDENER_TEST_END_DIR"

func TestEnds(t *testing.T) {
	if how := os.Getenv(endHow); how != "" {
		end(t, how, os.Getenv(endDir))
	}
	for how, want := range map[string]string{
		"klog":   "Kubernetes: the hook failed: boom",
		"exit":   "Kubernetes: an error is the end",
		"panic":  "the process crashed: panic: boom in a goroutine",
		"fatal":  "etcd-garden: no space left",
		"second": "file already closed",
		"clean":  "",
		"asked":  "",
	} {
		t.Run("APP-3 the reason is kept of an end by "+how, func(t *testing.T) {
			p, err := paths.New(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Create(); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(os.Args[0], "-test.run=^TestEnds$")
			cmd.Env = append(os.Environ(), endHow+"="+how, endDir+"="+p.Root())
			out, err := cmd.CombinedOutput()
			if (err == nil) != (want == "") {
				t.Fatalf("ended with %v\n%s", err, out)
			}
			said := state.LastFailure(p)
			if want == "" {
				if said != nil {
					t.Errorf("the reason is %v", said)
				}
				return
			}
			if said == nil || !strings.HasPrefix(said.Error(), want) || strings.Contains(said.Error(), "goroutine 1") {
				t.Errorf("the reason is %v, want %q\n%s", said, want, out)
			}
			if err := state.NoteFailure(p, nil); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// end ends this process as a daemon may end.
func end(t *testing.T, how, dir string) {
	p, err := paths.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	e, err := watchEnds(p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := setLoggers(config.Log{Level: "error", Format: "text"}, e.overheard); err != nil {
		t.Fatal(err)
	}
	klog.Info("something that is not the end")
	switch how {
	case "klog":
		klog.Fatalf("the hook failed: %s", "boom")
	case "exit":
		klog.Errorf("an error is the end")
		klog.FlushAndExit(0, 255)
	case "panic":
		go panic("boom in a goroutine")
		time.Sleep(time.Minute) // the panic ends the process
	case "asked":
		e.asked()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			klog.Fatal("the hook failed: context canceled")
		}()
		<-ended
	case "fatal":
		e.fatal("etcd-garden: no space left")
		os.Exit(1)
	case "second":
		e.note(os.ErrClosed)
		e.note(os.ErrExist)
		e.fatal("a consequence")
		os.Exit(1)
	}
	os.Exit(0)
}
