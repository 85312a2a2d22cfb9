package results

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	good = "[sig-apps] Job should complete [Conformance]"
	bad  = "[sig-apps] Job should fail [Conformance]"
	none = "[sig-node] Pods should wait [Conformance]"
	late = "[sig-node] Pods should be late [Conformance]"
)

func write(t *testing.T, dir, name string, end time.Time, specs ...map[string]any) {
	t.Helper()
	content, err := json.Marshal([]map[string]any{{"EndTime": end, "SpecReports": specs}})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name), content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func ran(name, state, message string) map[string]any {
	container, leaf, _ := strings.Cut(name, " should ")
	return map[string]any{
		"ContainerHierarchyTexts": []string{container}, "LeafNodeType": "It", "LeafNodeText": "should  " + leaf,
		"State": state, "Failure": map[string]any{"Message": message},
	}
}

func TestRead(t *testing.T) {
	t.Run("APP-18 each test has its last result and the page all of them", func(t *testing.T) {
		dir, now := t.TempDir(), time.Now()
		write(t, dir, "a.json", now, ran(good, "passed", ""), ran(bad, "failed", "timed | out"), ran(none, "skipped", ""), ran(late, "timedout", "A suite timeout occurred"))
		write(t, dir, "b.json", now.Add(-time.Hour), ran(good, "failed", "earlier"), ran(none, "skipped", "needs another system"))
		all, err := Read(dir, []string{good, bad, none, late})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []State{Passed, Failed, Skipped, NotRun} {
			if all[i].State != want {
				t.Errorf("%s is %s, want %s", all[i].Name, all[i].State, want)
			}
		}
		page, err := pageOf(all)
		if err != nil {
			t.Fatal(err)
		}
		content, err := page.render()
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			"| sig-apps | 2 | 1 | 1 | 0 | 0 | 50 % |", "| sig-node | 2 | 0 | 0 | 1 | 1 | – |", "| all | 4 | 1 | 1 | 1 | 1 | 50 % |",
			"| [sig-apps] Job should fail | timed \\| out |", "needs another system", unknown,
		} {
			if !strings.Contains(string(content), want) {
				t.Errorf("the page lacks %q:\n%s", want, content)
			}
		}
	})
}
