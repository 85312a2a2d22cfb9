package cli

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/embedded/testwait"
)

func TestReserveRanges(t *testing.T) {
	one, err := reserveRanges()
	if err != nil {
		t.Fatal(err)
	}
	defer one.reserved.Close()
	seen := map[string]bool{one.pods: true, one.services: true}
	for range 10 { // a random start would hit the same range now and then
		other, err := reserveRanges()
		if err != nil {
			t.Fatal(err)
		}
		defer other.reserved.Close()
		if seen[other.pods] || seen[other.services] {
			t.Fatalf("ranges %s and %s are given twice", other.pods, other.services)
		}
		seen[other.pods], seen[other.services] = true, true
	}
}

func TestAll(t *testing.T) {
	dir := t.TempDir()
	home := NewHome("gardener", dir)
	for _, name := range []string{"one", "two"} {
		if err := os.MkdirAll(filepath.Join(dir, ".local", "state", "gardener", name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	var gardens []string
	for _, one := range home.All() {
		gardens = append(gardens, strings.TrimPrefix(one.Garden(), dir+"/.local/state/gardener/"))
	}
	if want := []string{"one/kubeconfigs/garden.yaml", "two/kubeconfigs/garden.yaml"}; !slices.Equal(gardens, want) {
		t.Errorf("kubeconfigs of the gardens in a home: %q, want %q", gardens, want)
	}
	alone := &Landscape{Dir: dir, StateDir: dir, Config: "landscape.yaml"}
	if all := alone.All(); len(all) != 1 || all[0] != alone {
		t.Errorf("a landscape with a configuration is %v", all)
	}
}

func TestExec(t *testing.T) {
	l := landscape(t, `
case $1 in
fail) echo out; echo "$GARDENER_CONFIG" >&2; exit 7;;
hang) trap 'echo cleaned up; exit 0' INT; echo > started; while :; do sleep 0.05; done;;
esac`)

	t.Run("a command that fails is a result", func(t *testing.T) {
		r, err := l.Exec(t.Context(), "fail")
		if err != nil {
			t.Fatal(err)
		}
		if want := (Result{Stdout: "out\n", Stderr: l.Config + "\n", Code: 7}); r != want {
			t.Errorf("got %+v, want %+v", r, want)
		}
		if err := r.Check("gardener fail"); err == nil || !strings.Contains(err.Error(), "gardener fail: exit code 7") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("a command that takes too long is interrupted and may clean up", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			if r, err := l.Exec(ctx, "hang"); !errors.Is(err, context.Canceled) || r.Stdout != "cleaned up\n" {
				t.Errorf("error %v, output %q", err, r.Stdout)
			}
		}()
		testwait.Until(t, "the command starts", func() error { _, err := os.Stat(filepath.Join(l.Dir, "started")); return err })
		cancel()
		<-ended
	})
	t.Run("a missing binary is an error", func(t *testing.T) {
		missing := *l
		missing.Binary += "-missing"
		if _, err := missing.Exec(t.Context(), "up"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("error %v", err)
		}
	})
}

// landscape has a shell script for a binary.
func landscape(t *testing.T, script string) *Landscape {
	t.Helper()
	dir := t.TempDir()
	binary := filepath.Join(dir, "gardener")
	if err := os.WriteFile(binary, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := New(binary, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Release)
	return l
}

func TestServicePorts(t *testing.T) {
	reserved, err := reserveRanges()
	if err != nil {
		t.Fatal(err)
	}
	defer reserved.reserved.Close()
	l := &Landscape{ranges: reserved, StateDir: "/no/landscape"}
	mine := []int{os.Getpid()}
	before := l.portsOf(mine)
	listener, err := net.Listen("tcp", strings.TrimSuffix(reserved.services, "0.0/16")+"3.7:12345")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if after := l.portsOf(mine); len(after) != len(before)+1 || !slices.Contains(after, listener.Addr().String()) {
		t.Errorf("before %v, after %v", before, after)
	}
	if others := l.ServicePorts(); len(others) > 0 {
		t.Errorf("ports of a process that is not the landscape's: %v", others)
	}
}
