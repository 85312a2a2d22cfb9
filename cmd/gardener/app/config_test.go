package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/examples"
)

func TestConfigTemplate(t *testing.T) {
	t.Run("APP-35 the template changes nothing", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "landscape.yaml")
		if err := os.WriteFile(file, examples.Landscape, 0o600); err != nil {
			t.Fatal(err)
		}
		fromFile, err := config.Load(file, func(l *config.Landscape) { // {} says what kind of value there is
			l.Gardenlet, l.ControllerManager, l.Scheduler, l.Operator, l.AdmissionController = nil, nil, nil, nil, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		defaults, err := config.Load("", nil)
		if err != nil {
			t.Fatal(err)
		}
		if !sameConfig(fromFile, defaults) {
			t.Errorf("the template has other values than the defaults:\n%+v\n%+v", fromFile, defaults)
		}
	})
	t.Run("APP-35 the template is that of the document", func(t *testing.T) {
		document, err := os.ReadFile("../../../docs/configuration.md")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(document), "```yaml\n"+string(examples.Landscape)+"```") {
			t.Error("docs/configuration.md and examples/landscape/landscape.yaml differ")
		}
	})
}
