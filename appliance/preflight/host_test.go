package preflight

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/fault"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/trial"
	"github.com/gardener-up/gardener-up/local/doctor"
)

func TestExamine(t *testing.T) {
	find := func(t *testing.T, cfg *config.Landscape, root string) map[string]doctor.Finding {
		t.Helper()
		p, err := paths.New(root)
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]doctor.Finding{}
		for _, f := range Examine(t.Context(), cfg, p) {
			found[f.Check] = f
		}
		return found
	}
	cfg, err := config.Load("", func(l *config.Landscape) { l.Containers = config.ContainersSimulate })
	if err != nil {
		t.Fatal(err)
	}
	t.Run("APP-35 each check says what it found", func(t *testing.T) {
		root := filepath.Join(t.TempDir(), "new")
		found := find(t, cfg, root)
		for check, says := range map[string]string{"state directory": root, "disk": "are free", "open files": "are allowed", "memory": "available", "containers": "simulated"} {
			if f := found[check]; f.State != doctor.OK && check != "memory" || !strings.Contains(f.Message, says) {
				t.Errorf("%s: %+v", check, f)
			}
		}
	})
	t.Run("APP-35 one problem does not hide what else is found", func(t *testing.T) {
		found := find(t, cfg, filepath.Join(t.TempDir(), "groß,er"))
		if f := found["state directory"]; f.State != doctor.Problem || !strings.Contains(f.Message, `','`) {
			t.Errorf("state directory: %+v", f)
		}
		if f := found["open files"]; f.State != doctor.OK {
			t.Errorf("open files: %+v", f)
		}
	})
	t.Run("APP-35 a state directory has one reason, if there are two", func(t *testing.T) {
		root := filepath.Join(t.TempDir(), "groß,er")
		if err := os.MkdirAll(filepath.Join(root, "thesis"), 0o700); err != nil {
			t.Fatal(err)
		}
		if f := find(t, cfg, root)["state directory"]; strings.Contains(f.Message, "\n") || !strings.Contains(f.Message, `','`) {
			t.Errorf("state directory: %+v", f)
		}
	})
	t.Run("APP-35 each refusal has an ID", func(t *testing.T) {
		root := filepath.Join(t.TempDir(), "groß,er")
		if f := find(t, cfg, root)["state directory"]; f.ID != string(fault.Path) {
			t.Errorf("doctor says %q", f.ID)
		}
		p, err := paths.New(root)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Check(cfg, p); fault.Of(err) == "" { // tests are not built as the binary is, which comes first
			t.Errorf("a start says no ID: %v", err)
		}
		for _, c := range checks(cfg, p, &trial.Decision{}) {
			if c.id == "" {
				t.Errorf("the check %q has none", c.name)
			}
		}
	})
}

func TestMemory(t *testing.T) {
	if f := checkMemory(100 << 20); f.State != doctor.Warning || f.Cure == "" || !strings.Contains(f.Message, "only 100 MiB") {
		t.Errorf("little memory: %+v", f)
	}
	if f := checkMemory(5 << 30); f.State != doctor.OK || f.Message != "5.0 GiB are available" {
		t.Errorf("much memory: %+v", f)
	}
}

func TestUsable(t *testing.T) {
	allowed := func() error { return nil }
	if said, err := usable("linux", allowed); said != "Linux" || err != nil {
		t.Errorf("Linux: %q, %v", said, err)
	}
	if _, err := usable("darwin", allowed); err == nil || !strings.Contains(err.Error(), "need Linux") {
		t.Errorf("another system: %v", err)
	}
	t.Run("APP-35 a system without user namespaces is told with its cure", func(t *testing.T) {
		_, err := usable("linux", func() error { return fmt.Errorf("start: %w", daemon.ErrNamespaces) })
		if finding := problem("system", err); finding.ID != "GRD-100" || finding.Cure != daemon.NamespacesCure {
			t.Errorf("finding %+v", finding)
		}
	})
}
