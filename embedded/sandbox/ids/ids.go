// Package ids says which users exist for a process. It imports the standard library only.
package ids

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// usual is how many numbers of users images take: those of system users and of nobody are below.
const usual = 1 << 16

// Range is a number of users or groups in a row. Inside is the first one of them in a user namespace, Outside the same one in the namespace around it.
type Range struct{ Inside, Outside, Size uint32 }

// All reports whether this process may give files to all users and groups that images have: it belongs to root, in a user namespace in which the
// numbers below 65536 stand for users. In that of an ordinary user without subordinate IDs the process seems to be root's, and no other user exists.
func All() bool {
	users, groups, err := Own()
	return err == nil && os.Geteuid() == 0 && enough(users) && enough(groups)
}

// Own are the users and groups that exist for this process.
func Own() (users, groups []Range, err error) {
	if users, err = read("/proc/self/uid_map"); err != nil {
		return nil, nil, err
	}
	groups, err = read("/proc/self/gid_map")
	return users, groups, err
}

// MayChangeGroups reports whether processes here may choose their groups, which the maker of a namespace can forbid for all namespaces in it.
func MayChangeGroups() bool {
	content, err := os.ReadFile("/proc/self/setgroups")
	return err == nil && strings.TrimSpace(string(content)) == "allow"
}

// Text names users and groups, so that it can be kept and compared.
func Text(users, groups []Range) string { return text(users) + " " + text(groups) }

func text(ranges []Range) string {
	var words []string
	for _, r := range ranges {
		words = append(words, fmt.Sprintf("%d:%d:%d", r.Inside, r.Outside, r.Size))
	}
	return strings.Join(words, ",")
}

func read(file string) ([]Range, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var ranges []Range
	for line := range strings.Lines(string(content)) {
		var r Range
		if _, err := fmt.Sscan(line, &r.Inside, &r.Outside, &r.Size); err != nil {
			return nil, fmt.Errorf("read %s: %q: %w", file, line, err)
		}
		ranges = append(ranges, r)
	}
	return ranges, nil
}

// enough reports whether no number is missing.
func enough(ranges []Range) bool {
	sorted := slices.SortedFunc(slices.Values(ranges), func(a, b Range) int { return int(int64(a.Inside) - int64(b.Inside)) })
	var next uint64
	for _, r := range sorted {
		if uint64(r.Inside) != next {
			break
		}
		next += uint64(r.Size)
	}
	return next >= usual
}
