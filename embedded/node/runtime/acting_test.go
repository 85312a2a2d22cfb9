package runtime

import (
	"context"
	"strings"
	"testing"
	"time"

	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

func TestActingOf(t *testing.T) {
	const prefix = "simulation.gardener.local/"
	for name, tc := range map[string]struct {
		annotations map[string]string
		completes   bool
		want        acting
		says        string
	}{
		"a server runs on":                       {nil, false, acting{}, ""},
		"a Job ends at once":                     {nil, true, acting{Ends: true}, ""},
		"an exit code ends a server":             {map[string]string{prefix + "exit-code": "3"}, false, acting{Ends: true, Code: 3}, ""},
		"a Job takes its time":                   {map[string]string{prefix + "run-for": "90s"}, true, acting{Ends: true, Runs: 90 * time.Second}, ""},
		"a slow start":                           {map[string]string{prefix + "start-delay": "1.5s"}, false, acting{Delay: 1500 * time.Millisecond}, ""},
		"a container of its own":                 {map[string]string{prefix + "exit-code": "3", prefix + "exit-code.web": "4"}, false, acting{Ends: true, Code: 4}, ""},
		"another container":                      {map[string]string{prefix + "exit-code.init": "4"}, false, acting{}, ""},
		"a code that no program can end with":    {map[string]string{prefix + "exit-code": "256"}, false, acting{}, "from 0 to 255"},
		"a code that is no number":               {map[string]string{prefix + "exit-code": "error"}, false, acting{}, `annotation simulation.gardener.local/exit-code is "error"`},
		"a duration without unit":                {map[string]string{prefix + "run-for": "5"}, false, acting{}, "such as 1.5s"},
		"a start that keeps the kubelet waiting": {map[string]string{prefix + "start-delay": "1h"}, false, acting{}, "10m"},
	} {
		t.Run("APP-17 "+name, func(t *testing.T) {
			got, err := actingOf(tc.annotations, "web", tc.completes)
			if tc.says != "" {
				if err == nil || !strings.Contains(err.Error(), tc.says) {
					t.Errorf("said %v", err)
				}
				return
			}
			if err != nil || got != tc.want {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func TestSimulatedContainersAct(t *testing.T) {
	dir := t.TempDir()
	r := newRuntime(t, dir)
	pod := func(name string, annotations ...string) *testPod {
		p := &testPod{runtime: r, dir: dir, image: "busybox", name: name, annotations: map[string]string{}}
		for i := 0; i < len(annotations); i += 2 {
			p.annotations["simulation.gardener.local/"+annotations[i]] = annotations[i+1]
		}
		return p
	}
	t.Run("APP-17 a container ends with the code that an annotation names", func(t *testing.T) {
		failing := pod("failing", "exit-code", "3")
		failing.mustStart(t)
		if status := failing.awaitExit(t); status.GetExitCode() != 3 || status.GetReason() != "Error" || !strings.HasPrefix(status.GetMessage(), "simulated") {
			t.Errorf("it ended with %d, %s, %q", status.GetExitCode(), status.GetReason(), status.GetMessage())
		}
	})
	t.Run("APP-17 it runs for a time first", func(t *testing.T) {
		slow := pod("job", "run-for", "100ms")
		slow.mustStart(t)
		status := slow.awaitExit(t)
		if took := time.Duration(status.GetFinishedAt() - status.GetStartedAt()); status.GetExitCode() != 0 || took < 100*time.Millisecond {
			t.Errorf("it ended with %d after %s", status.GetExitCode(), took)
		}
	})
	t.Run("APP-17 it takes time to start", func(t *testing.T) {
		late := pod("late", "start-delay", "100ms")
		late.mustStart(t)
		if status := late.status(t); time.Duration(status.GetStartedAt()-status.GetCreatedAt()) < 100*time.Millisecond || status.GetState() != cri.ContainerState_CONTAINER_RUNNING {
			t.Errorf("it is %s", status.GetState())
		}
	})
	t.Run("APP-17 an annotation that cannot be read is told", func(t *testing.T) {
		if err := pod("wrong", "exit-code", "no").start(); err == nil || !strings.Contains(err.Error(), "from 0 to 255") {
			t.Errorf("said %v", err)
		}
	})
	t.Run("APP-17 it ends in time after a restart of the node", func(t *testing.T) {
		long := pod("long", "run-for", "500ms", "exit-code", "7")
		long.mustStart(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := r.Close(ctx); err != nil {
			t.Fatal(err)
		}
		long.runtime = newRuntime(t, dir)
		if status := long.awaitExit(t); status.GetExitCode() != 7 {
			t.Errorf("it ended with %d", status.GetExitCode())
		}
	})
}
