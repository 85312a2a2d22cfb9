package kubecontroller_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails if the tests leave a goroutine behind that runs or was started by code of this project. Two whole clusters run in
// this process. Their libraries leave about a hundred goroutines, which end with the process: the API servers never close their
// caches and connections to etcd.
func TestMain(m *testing.M) {
	code := m.Run()
	if code == 0 {
		if left := ours(); len(left) > 0 {
			fmt.Fprintln(os.Stderr, "goroutines after the tests:", strings.Join(left, "\n"))
			code = 1
		}
	}
	os.Exit(code)
}

// ours are the stacks of goroutines with code of this project, except those of tests that run.
func ours() []string {
	err := goleak.Find(
		goleak.IgnoreAnyFunction("go.etcd.io/etcd/server/v3/embed.(*Etcd).Close"), // waits for the connections of API servers, see etcd.Server
		goleak.IgnoreAnyFunction("testing.tRunner"),
	)
	if err == nil {
		return nil
	}
	return slices.DeleteFunc(strings.Split(err.Error(), "\n Goroutine "), func(stack string) bool {
		return !strings.Contains(stack, "gardener-up/embedded/")
	})
}

func TestLeaksAreFound(t *testing.T) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() { defer close(ended); <-end }()
	if left := ours(); len(left) != 1 || !strings.Contains(left[0], "TestLeaksAreFound") {
		t.Errorf("a goroutine that runs is not found: %q", left)
	}
	close(end)
	<-ended
	if left := ours(); len(left) > 0 {
		t.Errorf("what has ended is found: %q", left)
	}
}
