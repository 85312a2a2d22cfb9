package userns

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gardener-up/gardener-up/embedded/sandbox/ids"
)

const (
	// needed is how many subordinate IDs a user needs, so that all users of usual images exist.
	needed = 1 << 16
	// maxRanges is how many ranges of subordinate IDs are used at most. The kernel takes 340.
	maxRanges = 100
)

// span is a number of IDs in a row.
type span struct{ start, size uint64 }

func (s span) overlaps(other span) bool {
	return s.start < other.start+other.size && other.start < s.start+s.size
}

// subordinate finds the IDs of a user in the text of /etc/subuid or /etc/subgid, which names users by their names or numbers. Lines that say nothing are
// left out.
func subordinate(text, name string, id int) []span {
	var found []span
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.TrimSpace(line), ":")
		if len(fields) != 3 || fields[0] == "" || fields[0] != name && fields[0] != strconv.Itoa(id) {
			continue
		}
		start, err := strconv.ParseUint(fields[1], 10, 32)
		if err != nil {
			continue
		}
		size, err := strconv.ParseUint(fields[2], 10, 32)
		if err != nil {
			continue
		}
		found = append(found, span{start, size})
	}
	return found
}

// ranges makes root of the user's own ID, and other users of the subordinate ones. It leaves out what the kernel does not take, and what contains root of the
// machine.
func ranges(own int, subordinate []span) ([]ids.Range, error) {
	all, taken := []ids.Range{{Inside: 0, Outside: uint32(own), Size: 1}}, []span{{0, 1}, {uint64(own), 1}}
	next := uint64(1)
	for _, s := range subordinate {
		if s.size == 0 || s.start+s.size > math.MaxUint32 || next+s.size > math.MaxUint32 || len(all) > maxRanges || overlap(s, taken) {
			continue
		}
		all, taken = append(all, ids.Range{Inside: uint32(next), Outside: uint32(s.start), Size: uint32(s.size)}), append(taken, s)
		next += s.size
	}
	if next-1 < needed {
		return nil, fmt.Errorf("has %d subordinate IDs for this user, and %d are needed", next-1, needed)
	}
	return all, nil
}

func overlap(s span, taken []span) bool {
	for _, other := range taken {
		if s.overlaps(other) {
			return true
		}
	}
	return false
}
