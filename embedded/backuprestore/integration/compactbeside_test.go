package integration

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// TestCompactionBeside merges snapshots while their member stores and deletes others, and kills every second compaction. The data come back whatever is merged then.
func TestCompactionBeside(t *testing.T) {
	m := newMember(t)
	m.flags = append(m.stored(), "--delta-period=1h", "--retention=LimitBased", "--retention-limit=1")
	m.start()
	m.take("full")
	work := t.TempDir()
	var want map[string]string
	merged := 0
	for round := range 9 {
		t.Run(fmt.Sprintf("ETC-10 round %d", round), func(t *testing.T) {
			m := m.in(t)
			for i := range 10 {
				want = m.write(fmt.Sprint("key-", round, "-", i, strings.Repeat("x", 10000)))
			}
			m.take("delta")
			var said bytes.Buffer
			process := exec.Command(os.Args[0], m.compactArgs(work)...)
			process.Env = append(os.Environ(), memberVariable+"=1")
			process.Stdout, process.Stderr = &said, &said
			must(t, process.Start())
			for i := range 10 {
				want = m.write(fmt.Sprint("more-", round, "-", i))
			}
			m.take("delta")
			if round%3 == 1 {
				m.take("full") // deletes what is being merged
			}
			if round%2 == 1 {
				_ = process.Process.Signal(syscall.SIGKILL)
			}
			if err := process.Wait(); err != nil && strings.Contains(said.String(), "is damaged") {
				t.Errorf("%v: %s", err, said.String())
			}
			merged += len(m.merged())
			if round%3 == 2 {
				m.comesBack(want)
				m.take("full")
			}
		})
	}
	if merged == 0 {
		t.Error("nothing was merged in any round")
	}
}
