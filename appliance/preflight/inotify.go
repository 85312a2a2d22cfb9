package preflight

import (
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/gardener-up/gardener-up/local/doctor"
)

const (
	// neededInstances is enough for a landscape, which opens up to 26, and six shoots, whose API servers open six each.
	neededInstances = 64
	// goodLimit is what distributions for servers set.
	goodLimit = 8192
)

// checkInotify counts the inotify instances that this user may still open, in all processes. API servers open one for each file
// that they watch. Without it they start, but do not see that a certificate is renewed.
func checkInotify(open func() (int, error), release func(int) error) doctor.Finding {
	finding := doctor.Finding{Check: "inotify instances", State: doctor.OK, Message: "enough"}
	var opened []int
	for len(opened) < neededInstances {
		descriptor, err := open()
		if err != nil {
			finding.State = doctor.Warning
			finding.Message = fmt.Sprintf("this user may open only %d more, a landscape with a few shoots needs %d: certificates that are renewed may not be noticed", len(opened), neededInstances)
			finding.Cure = fmt.Sprintf("sysctl fs.inotify.max_user_instances=%d", goodLimit)
			break
		}
		opened = append(opened, descriptor)
	}
	for _, descriptor := range opened {
		_ = release(descriptor)
	}
	return finding
}

func inotify() doctor.Finding {
	return checkInotify(func() (int, error) { return unix.InotifyInit1(unix.IN_CLOEXEC) }, unix.Close)
}

// Warnings are about what a landscape can start without.
func Warnings() []doctor.Finding {
	if found := inotify(); found.State != doctor.OK {
		return []doctor.Finding{found}
	}
	return nil
}
