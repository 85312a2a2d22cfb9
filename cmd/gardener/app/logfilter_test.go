package app

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

const someLog = `{"level":"info","ts":"2026-11-24T10:00:00.000Z","msg":"Part is ready","part":"etcd"}
{"level":"info","ts":"2026-11-24T10:01:00.000Z","logger":"gardenlet","msg":"Shoot reconciled","namespace":"garden-local","name":"sun"}
panic: something
	at a line of a stack
{"level":"info","ts":"2026-11-24T10:02:00.000Z","logger":"seed-operators.volumes","msg":"Provisioned","namespace":"shoot--local--sun"}
{"level":"info","ts":"2026-11-24T10:03:00.000Z","logger":"seed-operators","msg":"Provisioned","namespace":"shoot--local--sunny"}
2026-11-24T10:04:00.000Z	info	gardenlet	In text	{"shoot": "garden-local/sun"}
2026-11-24T10:05:00.000Z	info	In text, without logger
{"level":"warn","ts":"2026-11-24T10:06:00.000001Z","logger":"etcd-client","msg":"Of a library"}
`

func TestLogFilter(t *testing.T) {
	sun := &types.NamespacedName{Namespace: "garden-local", Name: "sun"}
	for name, tc := range map[string]struct {
		logs logging
		want []string // a part of each line
	}{
		"all":                  {logging{tail: -1}, []string{"etcd", "reconciled", "panic", "stack", "local--sun\"", "sunny", "In text\t", "without logger", "library"}},
		"APP-35 since":         {logging{tail: -1, filter: logFilter{since: time.Date(2026, 11, 24, 10, 3, 0, 0, time.UTC)}}, []string{"sunny", "In text\t", "without logger", "library"}},
		"APP-35 a part":        {logging{tail: -1, filter: logFilter{part: "etcd"}}, []string{"etcd"}},
		"APP-35 a logger":      {logging{tail: -1, filter: logFilter{part: "seed-operators"}}, []string{"local--sun\"", "sunny"}},
		"APP-35 a shoot":       {logging{tail: -1, filter: logFilter{shoot: sun}}, []string{"reconciled", "panic", "stack", "local--sun\"", "In text\t"}},
		"APP-35 a level":       {logging{tail: -1, filter: logFilter{level: "warn"}}, []string{"library"}},
		"APP-35 all levels":    {logging{tail: 1, filter: logFilter{level: "debug"}}, []string{"library"}},
		"APP-35 a library":     {logging{tail: -1, filter: logFilter{part: "etcd-client"}}, []string{"library"}},
		"APP-35 the last ones": {logging{tail: 2, filter: logFilter{shoot: sun}}, []string{"local--sun\"", "In text\t"}},
		"the last ones of all": {logging{tail: 2}, []string{"without logger", "library"}},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			w := &filteredWriter{w: &out, filter: &tc.logs.filter}
			if err := tc.logs.printTail(w, io.LimitReader(strings.NewReader(someLog), 1<<20)); err != nil {
				t.Fatal(err)
			}
			lines := strings.SplitAfter(out.String(), "\n")
			lines = lines[:len(lines)-1]
			if len(lines) != len(tc.want) {
				t.Fatalf("%d lines instead of %d:\n%s", len(lines), len(tc.want), out.String())
			}
			for i, line := range lines {
				if !strings.Contains(line, tc.want[i]) {
					t.Errorf("line %d does not contain %q: %s", i, tc.want[i], line)
				}
			}
		})
	}
}

func TestLastError(t *testing.T) {
	for name, tc := range map[string]struct{ log, want string }{
		"APP-35 an object": {someLog + `{"level":"error","ts":"2026-11-24T10:06:00.000Z","logger":"node.kubelet","msg":"Failed to start ContainerManager","error":"no files"}` + "\n" + someLog, ". The last error in its log is of node.kubelet: Failed to start ContainerManager: no files"},
		"APP-35 a text":    {"2026-11-24T10:06:00.000Z\terror\tnode\tFailed to start\t{\"error\": \"no files\"}\n", ". The last error in its log is of node: Failed to start: no files"},
		"APP-35 no error":  {someLog, ""},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "log")
			if err := os.WriteFile(file, []byte(tc.log), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := lastError(file); got != tc.want {
				t.Errorf("%q instead of %q", got, tc.want)
			}
		})
	}
}
