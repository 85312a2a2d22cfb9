// Package ids says which users exist for a process. It imports the standard library only.
package ids

import (
	"os"
	"strings"
)

// All reports whether this process may give files to every user and group: it belongs to root, in a user namespace in which every number stands
// for a user. In that of an ordinary user's landscape the process seems to be root's, and no other user exists.
func All() bool {
	return os.Geteuid() == 0 && complete("/proc/self/uid_map") && complete("/proc/self/gid_map")
}

// complete reports whether a map has all numbers: the last 32-bit number is none.
func complete(file string) bool {
	content, err := os.ReadFile(file)
	fields := strings.Fields(string(content))
	return err == nil && len(fields) == 3 && fields[0] == "0" && fields[2] == "4294967295"
}
