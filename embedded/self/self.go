// Package self finds the file of the binary that this process runs.
package self

import (
	"fmt"
	"os"
)

// link leads to the binary of the process even if its file was replaced or removed. Linux only.
const link = "/proc/self/exe"

// SetName sets the name of this process that tools such as ps and top show. A process that was started by Path would be called
// "exe".
func SetName(name string) { _ = os.WriteFile("/proc/self/comm", []byte(name), 0) } // an error has no effect but in ps and top

// Path returns a path by which this process can read its binary, or start it once more. If the file was replaced in the meantime,
// the path still leads to the running binary, so a process and its children always have the same version. Other processes cannot use
// the path.
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
