package pod

import (
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gardener-up/gardener-up/embedded/sandbox/groups"
)

// end is how a pod ends.
type end struct {
	group       groups.Group // its zero value if the pod has none
	outOfMemory atomic.Bool
	pid         atomic.Int64  // of the agent, once it is known
	noted       chan struct{} // closed when all processes have ended and the reasons below are known
	failure     string        // why the agent could not start
}

// endTimeout bounds waiting for the processes of a pod, which the kernel is ending.
const endTimeout = 5 * time.Second

// makeGroup makes the control group of a pod. The processor is limited later: nothing of users runs while a sandbox starts, which would take long with
// a small part of a processor.
func (c Config) makeGroup() (groups.Group, error) {
	limits := c.Limits.OfSandbox()
	limits.CPUQuota = 0
	group, err := c.Group.Make(c.ID, limits)
	if err != nil {
		return group, err
	}
	return group, group.EndTogether()
}

// SetLimits replaces the limits of the containers together.
func (p *Pod) SetLimits(limits groups.Limits) error { return p.end.group.Limit(limits.OfSandbox()) }

// noteEnd keeps the reasons for the end, which are lost with the control group.
func (p *Pod) noteEnd() {
	defer close(p.end.noted)
	<-p.agent.ended
	select {
	case reply := <-p.process.ended: // of the spawner, when the last process has ended
		p.end.failure = reply.Error
	case <-time.After(endTimeout):
	}
	p.seeMemory()
}

func (p *Pod) seeMemory() {
	if p.end.group.Killed() > 0 {
		p.end.outOfMemory.Store(true)
	}
}

// OutOfMemory reports whether the pod has had more memory than its limits allow, and therefore ends or has ended. It waits for the reason of a pod that has
// ended.
func (p *Pod) OutOfMemory() bool {
	select {
	case <-p.agent.ended:
		<-p.end.noted
	default:
		p.seeMemory()
	}
	return p.end.outOfMemory.Load()
}

// EndOutOfMemory ends all processes of the pod, because it takes too much memory.
func (p *Pod) EndOutOfMemory() {
	p.end.outOfMemory.Store(true)
	p.process.signal(syscall.SIGKILL)
}

// Memory returns how many bytes of memory the processes of the pod take.
func (p *Pod) Memory() int64 {
	select {
	case <-p.agent.ended: // the number of the process may be another's soon
		return 0
	case pid, known := <-p.process.started:
		if known {
			p.end.pid.Store(int64(pid))
		}
	default:
	}
	pid := p.end.pid.Load()
	if pid == 0 {
		return 0
	}
	return groups.MemoryOf(int(pid))
}
