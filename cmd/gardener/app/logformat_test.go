package app

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/cobra"
)

func TestFormatOfComponents(t *testing.T) {
	for name, tc := range map[string]struct{ content, want string }{
		"GLT-10 a gardenlet logs text if its file says so": {"apiVersion: gardenlet.config.gardener.cloud/v1alpha1\nlogFormat: text\n", "text"},
		"GLT-10 SCH-10 a scheduler, too":                   {"apiVersion: scheduler.config.gardener.cloud/v1alpha1\nlogFormat: text\n", "text"},
		"without the key it is JSON":                       {"apiVersion: scheduler.config.gardener.cloud/v1alpha1\n", "json"},
		"files of others have other keys":                  {"apiVersion: kubescheduler.config.k8s.io/v1\nlogFormat: text\n", "json"},
		"a broken file is the component's business":        {"logFormat: [", "json"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "config.yaml")
			if err := os.WriteFile(file, []byte(tc.content), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := &cobra.Command{}
			cmd.Flags().String("config", "", "")
			if err := cmd.Flags().Set("config", file); err != nil {
				t.Fatal(err)
			}
			if got := configuredFormat(cmd); got != tc.want {
				t.Errorf("format %s, want %s", got, tc.want)
			}
		})
	}
	if got := configuredFormat(&cobra.Command{}); got != "json" {
		t.Errorf("a component without file logs %s", got)
	}
}
