package app

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/paths"
)

func TestNextCommandsCanBePasted(t *testing.T) {
	t.Run("APP-35 paths with spaces are quoted", func(t *testing.T) {
		root := t.TempDir() + "/with a b"
		p, err := paths.New(root)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		printNext(&out, &landscape{Landscape: &config.Landscape{Name: "local"}, paths: p, display: newDisplay()}, &daemon.Report{})
		for _, want := range []string{"  export KUBECONFIG='" + p.Kubeconfig("garden") + "'\n", "  export GARDENER_STATE_DIR='" + root + "'\n"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%q is missing in\n%s", want, out.String())
			}
		}
	})
}
