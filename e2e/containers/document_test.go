package containers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/e2e/documents/follow"
)

// document takes the steps of docs/containers.md. In place of Docker, which a machine need not have, a script gives out the image.
func document(t *testing.T, f *fixture) {
	reader := f.reader
	docker := "#!/bin/sh\n[ \"$*\" = 'save nginx:1.29' ] && exec cat '" + writeImage(t, "nginx:1.29", "name", "80") + "'\n"
	if err := os.WriteFile(filepath.Join(f.Dir, "bin", "docker"), []byte(docker), 0o755); err != nil {
		t.Fatal(err)
	}
	reader.Names = []string{"8080:80", "0:80"} // a port that is free
	steps := follow.Steps(t, "docs/containers.md", "e2e/containers")
	for i := range steps {
		if strings.HasPrefix(steps[i].Command, "kubectl port-forward") {
			steps[i].Output = nil // names the port
		}
	}
	reader.Follow(t, "docs/containers.md", steps)
	f.Gardener("shoot", "delete", "sun", "--yes")
}
