package node

import "strconv"

// leastMemory is how many bytes of data each process may have on small machines: an API server with its controllers and objects
// of usual size needs a small part of it.
const leastMemory = 2 << 30

// memoryLimit returns the limit of processes on a machine with so much memory: half of it. So no process can take it all. A machine
// of a shoot has no limit, since it passes its own on to the sandboxes that it starts.
func memoryLimit(total uint64) func(args []string) uint64 {
	return func(args []string) uint64 {
		if len(args) > 1 && args[0] == "component" && args[1] == "machine" {
			return 0
		}
		return max(total/2, leastMemory)
	}
}

// defaultGC is Go's own value of GOGC.
const defaultGC = 100

// rareCollections returns the GOGC that all processes of pods have, given that of this process. Pods save memory by a low one. Whoever sets
// one above Go's default has memory to spare, also for pods. Otherwise it is empty, and pods keep their own.
func rareCollections(own string) string {
	if percent, err := strconv.Atoi(own); err != nil || percent <= defaultGC {
		return ""
	}
	return own
}
