package procs

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of times in /proc/<pid>/stat: USER_HZ, which is 100 on all architectures Go runs on with Linux.
const tick = 10 * time.Millisecond

// times are the values of a process in /proc/<pid>/stat.
type times struct {
	started uint64        // in ticks after boot; with the process ID it identifies a process permanently
	cpu     time.Duration // user and system time, without that of children
}

// parseStat reads /proc/<pid>/stat. The name of the process, in parentheses, may contain anything.
func parseStat(text string) (times, error) {
	end := strings.LastIndexByte(text, ')')
	if end < 0 {
		return times{}, fmt.Errorf("stat has no name: %q", text)
	}
	fields := strings.Fields(text[end+1:]) // begins with field 3 of proc(5)
	const utime, stime, starttime = 14 - 3, 15 - 3, 22 - 3
	if len(fields) <= starttime {
		return times{}, fmt.Errorf("stat has %d fields after the name", len(fields))
	}
	var values [3]uint64
	for i, at := range []int{utime, stime, starttime} {
		value, err := strconv.ParseUint(fields[at], 10, 64)
		if err != nil {
			return times{}, fmt.Errorf("field %d of stat: %w", at+3, err)
		}
		values[i] = value
	}
	return times{started: values[2], cpu: time.Duration(values[0]+values[1]) * tick}, nil
}

// parseRollup reads /proc/<pid>/smaps_rollup.
func parseRollup(text string) (Memory, error) {
	var m Memory
	for name, into := range map[string]*int64{"Rss:": &m.RSS, "Pss:": &m.PSS} {
		kilobytes, err := lineValue(text, name)
		if err != nil {
			return Memory{}, err
		}
		*into = kilobytes << 10
	}
	return m, nil
}

func lineValue(text, name string) (int64, error) {
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == name && fields[2] == "kB" {
			return strconv.ParseInt(fields[1], 10, 64)
		}
	}
	return 0, fmt.Errorf("no line %q in smaps_rollup", name)
}
