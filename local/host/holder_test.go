package host_test

import (
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/local/host"
	"github.com/gardener-up/gardener-up/local/machine/container"
)

func TestContainersMove(t *testing.T) {
	w := newWorld(t)
	const machine = "shoot--local--test-moves"
	name, source := host.Name("test", namespace, machine), w.seed
	w.order(machine)
	w.becomes(machine, container.Running)
	made := w.report(machine).ContainerID
	goes := func(t *testing.T, what string) {
		t.Helper()
		found, err := w.engine.Inspect(t.Context(), name)
		if err != nil || !found.Running || found.ID != made {
			t.Errorf("%s the container is %+v, %v", what, found, err)
		}
	}
	t.Run("MIG-9 a container goes on when its order is released", func(t *testing.T) {
		w.place.Store(host.Place{Seed: source, Moving: true})
		w.release(machine)
		next := w.order("shoot--local--test-next") // once this one runs, containers without an order have been looked for
		w.becomes(next.Machine, container.Running)
		w.withdraw(next.Machine)
		goes(t, "after the release")
	})
	w.end()
	w.seed = source + "-2"
	w.gateway.Store("172.18.0.3")
	w.start()
	t.Run("MIG-5 another seed does not get it while the garden has the shoot elsewhere", func(t *testing.T) {
		w.order(machine)
		w.eventually("the report tells", func() (bool, any) {
			report := w.report(machine)
			return strings.Contains(report.Message, "the garden has the shoot on seed \""+source+"\""), report
		})
	})
	t.Run("MIG-5 the seed that the shoot moves to takes it over as it is", func(t *testing.T) {
		boots := strings.Count(w.file("execs"), "systemctl enable")
		w.place.Store(host.Place{Seed: w.seed, Moving: true})
		w.becomes(machine, container.Running)
		goes(t, "on the other seed")
		if got := strings.Count(w.file("execs"), "systemctl enable"); got != boots {
			t.Errorf("it was booted %d times", got-boots)
		}
		if got := w.file("hosts-" + name); !strings.HasPrefix(got, "172.18.0.3 ") {
			t.Errorf("hosts are %q", got)
		}
	})
	t.Run("MIG-5 the seed that it has left does not touch it", func(t *testing.T) {
		w.end()
		w.seed = source
		w.start()
		next := w.order("shoot--local--test-later") // once this one runs, the other has been looked at
		w.becomes(next.Machine, container.Running)
		w.withdraw(next.Machine)
		if err := host.StopMachinesOf(t.Context(), w.engine, "test", source, &w.inventory); err != nil {
			t.Fatal(err)
		}
		w.withdraw(machine)
		goes(t, "beside its former seed")
	})
	t.Run("MIG-9 a container that no seed will take over is removed", func(t *testing.T) {
		if err := w.inventory.Hold(host.InventoryKind, name, ""); err != nil {
			t.Fatal(err)
		}
		w.place.Store(host.Place{})
		w.eventually("the container goes", func() (bool, any) { return !w.exists(name), "there" })
	})
}
