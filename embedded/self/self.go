// Package self finds the file of the binary that this process runs.
package self

import (
	"fmt"
	"os"
)

// link leads to the binary of the process even if its file was replaced or removed. Linux only.
const link = "/proc/self/exe"

// SetName makes tools such as ps and top show a name for this process. One that was started by Path would be called "exe".
func SetName(name string) { _ = os.WriteFile("/proc/self/comm", []byte(name), 0) } // nobody depends on it

// Path returns a path by which this process can read its binary, or start it once more. If the file was replaced meanwhile,
// the path leads to the one that runs, so that a process and its children are always of one version. Other processes cannot
// use the path.
func Path() (string, error) {
	if _, err := os.Stat(link); err == nil {
		return link, nil
	}
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this binary: %w", err)
	}
	return path, nil
}
