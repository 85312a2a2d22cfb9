package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// makeBackupDir makes the directory before an engine does: then it would belong to another user.
func makeBackupDir(dir string) error {
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make directory for backups: %w", err)
	}
	return nil
}

// HasBackups reports whether each node has the directory of the host as BackupDir. Clusters that others made do not, and those that
// former versions of this binary made.
func (e *Existing) HasBackups(ctx context.Context, dir string) (bool, error) {
	names, err := e.nodes(ctx)
	if err != nil {
		return false, err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil { // some engines tell where links lead to
		dir = real
	}
	for _, name := range names {
		node, err := e.engine.Inspect(ctx, name)
		if err != nil {
			return false, fmt.Errorf("look for the backups of kind cluster %s: %w", e.name, err)
		}
		source := node.Mounts[BackupDir]
		if real, err := filepath.EvalSymlinks(source); err == nil {
			source = real
		}
		if source == "" || !strings.HasSuffix(source, dir) { // engines in virtual machines put their own root before it
			return false, nil
		}
	}
	return true, nil
}
