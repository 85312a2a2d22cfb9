package pod_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/embedded/sandbox/groups"
	"github.com/gardener-up/gardener-up/embedded/sandbox/pod"
	"github.com/gardener-up/gardener-up/embedded/testskip"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// eat takes memory and keeps it.
func eat(mebibytes string) {
	n, _ := strconv.Atoi(mebibytes)
	var all [][]byte
	for range n {
		piece := make([]byte, 1<<20)
		for i := range piece {
			piece[i] = 1
		}
		all = append(all, piece)
	}
	<-time.After(time.Hour)
	fmt.Println("ate", len(all))
}

// fork starts processes that stay, and says how many.
func fork(count string) {
	n, _ := strconv.Atoi(count)
	for i := range n {
		if err := exec.Command("/program", "stay").Start(); err != nil {
			fmt.Println("forked", i)
			return
		}
	}
	fmt.Println("forked all")
}

// node makes a control group like that of a node, for this test.
func node(t *testing.T) groups.Group {
	t.Helper()
	root, err := groups.Make("gardener-test-" + strconv.Itoa(os.Getpid()))
	if errors.Is(err, groups.ErrNone) {
		testskip.OutsideCI(t, err)
	}
	t.Cleanup(func() {
		if err := root.Remove(); err != nil {
			t.Error(err)
		}
	})
	made, err := root.Make("node", groups.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func in(group groups.Group, id string, limits groups.Limits) func(*pod.Config) {
	return func(c *pod.Config) { c.Group, c.ID, c.Limits = group, id, limits }
}

func stay(rootfs, id string, args ...string) pod.Container {
	return pod.Container{ID: id, Name: id, Image: rootfs, Args: append([]string{"/program"}, args...), Dir: "/"}
}

func TestMemoryLimit(t *testing.T) {
	group, rootfs := node(t), image(t)
	neighbour := startWith(t, in(group, "neighbour", groups.Limits{Containers: 1}))
	run(t, neighbour, stay(rootfs, "stay", "stay"))
	p := startWith(t, in(group, "hungry", groups.Limits{Memory: 32 << 20, Containers: 2}))
	run(t, p, stay(rootfs, "other", "stay"))
	run(t, p, stay(rootfs, "eater", "eat", "1000"))
	t.Run("APP-11 a pod that takes more memory than its limit ends and says why", func(t *testing.T) {
		testwait.Until(t, "the end of the pod", func() error {
			if !p.OutOfMemory() {
				return errors.New("the pod goes on")
			}
			return nil
		})
		p.EndOutOfMemory() // with control groups of version 1 the kernel has ended one process
		<-p.Ended()
		if _, err := p.Wait(t.Context(), "other"); err == nil {
			t.Error("another container of the pod goes on")
		}
	})
	t.Run("APP-11 another pod of the node goes on", func(t *testing.T) {
		if code, said := execute(t, neighbour, "exists", "/program"); code != 0 || neighbour.OutOfMemory() {
			t.Errorf("code %d, said %q, out of memory: %t", code, said, neighbour.OutOfMemory())
		}
	})
	t.Run("APP-11 the control group goes with the pod", func(t *testing.T) {
		p.Stop()
		if _, err := os.Stat(filepath.Join(group.Memory, "hungry")); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	})
}

func TestMemoryOfNode(t *testing.T) {
	group, rootfs := node(t), image(t)
	small := startWith(t, in(group, "small", groups.Limits{Containers: 1}))
	run(t, small, stay(rootfs, "stay", "stay"))
	large := startWith(t, in(group, "large", groups.Limits{Containers: 1}))
	if err := group.Limit(groups.Limits{Memory: 200 << 20}); err != nil {
		t.Fatal(err)
	}
	run(t, large, stay(rootfs, "eater", "eat", "1000"))
	t.Run("APP-11 the pods of a node get no more memory than the node, and one of them ends", func(t *testing.T) {
		testwait.Until(t, "the end of a pod", func() error {
			if !large.OutOfMemory() && !small.OutOfMemory() { // the kernel chooses
				return errors.New("both pods go on")
			}
			return nil
		})
	})
}

func TestProcessesLimit(t *testing.T) {
	p := startWith(t, in(node(t), "p1", groups.Limits{Processes: 10, Containers: 1}))
	run(t, p, stay(image(t), "stay", "stay"))
	t.Run("APP-11 a pod starts no more processes than its limit allows, and goes on", func(t *testing.T) {
		if code, said := execute(t, p, "fork", "2000"); code != 0 || said == "forked all\n" || !strings.HasPrefix(said, "forked ") {
			t.Errorf("code %d, said %q", code, said)
		}
		select {
		case <-p.Ended():
			t.Error("the pod has ended")
		default:
		}
	})
}

func TestProcessorLimit(t *testing.T) {
	group := node(t)
	if group.CPU == "" {
		testskip.OutsideCI(t, "the processor cannot be limited here")
	}
	limits := groups.Limits{CPUQuota: 20000, CPUPeriod: 100000, CPUShares: 204, Containers: 1}
	p := startWith(t, in(group, "p1", limits))
	run(t, p, stay(image(t), "burner", "burn"))
	throttled := func() error {
		text, err := os.ReadFile(filepath.Join(group.CPU, "p1", "cpu.stat"))
		for line := range strings.Lines(string(text)) {
			if key, value, _ := strings.Cut(strings.TrimSpace(line), " "); key == "nr_throttled" && value != "0" {
				return nil
			}
		}
		return fmt.Errorf("the group has not been throttled: %s%v", text, err)
	}
	t.Run("APP-11 a pod gets no more of the processor than its limit", func(t *testing.T) { testwait.Until(t, "the processor to be limited", throttled) })
	t.Run("APP-11 a limit can be changed and taken away", func(t *testing.T) {
		if err := p.SetLimits(groups.Limits{Memory: 500 << 20, CPUShares: 2}); err != nil {
			t.Fatal(err)
		}
		if err := p.SetLimits(limits); err != nil {
			t.Fatal(err)
		}
	})
}

func TestMeasuredMemory(t *testing.T) {
	p := start(t)
	run(t, p, stay(image(t), "eater", "eat", "200"))
	t.Run("APP-11 without control groups the memory of a pod is measured", func(t *testing.T) {
		testwait.Until(t, "the memory of the pod", func() error {
			if used := p.Memory(); used < 200<<20 || used > 300<<20 {
				return fmt.Errorf("it takes %d bytes", used)
			}
			return nil
		})
	})
	p.EndOutOfMemory()
	<-p.Ended()
	if !p.OutOfMemory() || p.Memory() != 0 {
		t.Errorf("out of memory: %t, measured %d bytes after the end", p.OutOfMemory(), p.Memory())
	}
}
