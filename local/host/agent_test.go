package host_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/local/host"
	"github.com/gardener-up/gardener-up/local/machine/container"
)

func TestMachine(t *testing.T) {
	w := newWorld(t)
	order := w.order("shoot--local--test-pool-1")
	name := host.Name("test", namespace, order.Machine)
	w.becomes(order.Machine, container.Running)
	t.Run("EXT-26 an order becomes a container that boots", func(t *testing.T) {
		if report := w.report(order.Machine); report.IP != "172.18.0.9" || report.Container != name || report.Message != "" {
			t.Errorf("report is %+v", report)
		}
		execs := w.file("execs")
		for _, want := range []string{"multi-user.target", "--directory=/opt/gardener/bin", "systemctl enable --quiet gardener-node-init.service"} {
			if !strings.Contains(execs, name+": ") || !strings.Contains(execs, want) {
				t.Errorf("nothing of the kind %q was run:\n%s", want, execs)
			}
		}
		if got := w.inventory.list(); !slices.Contains(got, "container "+name) {
			t.Errorf("the inventory is %v", got)
		}
	})
	t.Run("ARC-7 names of API servers lead to the front door, also when it moves", func(t *testing.T) {
		if got := w.file("hosts-" + name); got != "172.18.0.2 api.test.local # gardener\n" {
			t.Errorf("hosts are %q", got)
		}
		w.gateway.Store("172.18.0.77 172.18.0.78") // two nodes
		w.eventually("hosts are corrected", func() (bool, any) {
			got := w.file("hosts-" + name)
			return got == "172.18.0.77 api.test.local # gardener\n172.18.0.78 api.test.local # gardener\n", got
		})
	})
	t.Run("a container that was restarted gets its hosts again and does not boot again", func(t *testing.T) {
		if err := os.Remove(filepath.Join(w.dir, "hosts-"+name)); err != nil {
			t.Fatal(err)
		}
		boots := strings.Count(w.file("execs"), "gardener-node-init.service")
		w.change(name, func(c *fakeContainer) { c.State.StartedAt = "later" })
		w.eventually("hosts are written", func() (bool, any) { return w.file("hosts-"+name) != "", "" })
		if got := strings.Count(w.file("execs"), "gardener-node-init.service"); got != boots {
			t.Errorf("it was booted %d times", got-boots)
		}
	})
	t.Run("a container that stopped is told, and started when asked", func(t *testing.T) {
		w.change(name, func(c *fakeContainer) { c.State.Running, c.State.ExitCode = false, 137 })
		w.becomes(order.Machine, container.Stopped)
		secret := &corev1.Secret{}
		secret.Namespace, secret.Name = container.Key(namespace, order.Machine)
		if err := w.client.Get(t.Context(), client.ObjectKeyFromObject(secret), secret); err != nil {
			t.Fatal(err)
		}
		before := secret.DeepCopy()
		secret.Annotations[container.StartAnnotation] = "1"
		if err := w.client.Patch(t.Context(), secret, client.MergeFrom(before)); err != nil {
			t.Fatal(err)
		}
		w.becomes(order.Machine, container.Running)
		if got := w.report(order.Machine).Start; got != "1" {
			t.Errorf("request %q was carried out", got)
		}
	})
	t.Run("an agent that starts anew leaves a machine as it is", func(t *testing.T) {
		execs := w.file("execs")
		w.end()
		w.start()
		other := w.order("shoot--local--test-pool-2") // once this one runs, the first has been looked at
		w.becomes(other.Machine, container.Running)
		for _, line := range strings.Split(strings.TrimPrefix(w.file("execs"), execs), "\n") {
			if strings.HasPrefix(line, name+":") {
				t.Errorf("it ran %s", line)
			}
		}
		w.withdraw(other.Machine)
	})
	t.Run("a container that vanished is told and not made again", func(t *testing.T) {
		w.change(name, nil)
		w.becomes(order.Machine, container.Gone)
		if w.exists(name) {
			t.Error("it is there again")
		}
	})
	t.Run("EXT-26 nothing is left of an order that is withdrawn", func(t *testing.T) {
		w.withdraw(order.Machine)
		if got := w.inventory.list(); len(got) > 0 {
			t.Errorf("the inventory is %v", got)
		}
	})
}

func TestMachinesStopAndStartWithTheLandscape(t *testing.T) {
	w := newWorld(t)
	order := w.order("shoot--local--test-pool-7")
	w.becomes(order.Machine, container.Running)
	w.end()
	if err := host.StopMachines(t.Context(), w.engine, "test"); err != nil {
		t.Fatalf("stop: %v", err)
	}
	name := host.Name("test", namespace, order.Machine)
	if found, err := w.engine.Inspect(t.Context(), name); err != nil || found.Running {
		t.Errorf("it runs: %v, %v", found.Running, err)
	}
	if err := os.Remove(filepath.Join(w.dir, "hosts-"+name)); err != nil {
		t.Fatal(err)
	}
	w.start()
	w.eventually("it runs, and knows its API server", func() (bool, any) {
		found, err := w.engine.Inspect(t.Context(), name)
		return err == nil && found.Running && w.file("hosts-"+name) != "", found
	})
	w.becomes(order.Machine, container.Running)
	w.withdraw(order.Machine)
}

func TestRemoval(t *testing.T) {
	w := newWorld(t)
	t.Run("the container goes before the order", func(t *testing.T) {
		order := w.order("shoot--local--test-pool-3")
		w.becomes(order.Machine, container.Running)
		w.withdraw(order.Machine)
		if name := host.Name("test", namespace, order.Machine); w.exists(name) {
			t.Error("the container is still there")
		}
	})
	t.Run("a container whose order was removed by force goes, too", func(t *testing.T) {
		order := w.order("shoot--local--test-pool-4")
		w.becomes(order.Machine, container.Running)
		w.end()
		secret := &corev1.Secret{}
		secret.Namespace, secret.Name = container.Key(namespace, order.Machine)
		if err := w.client.Get(t.Context(), client.ObjectKeyFromObject(secret), secret); err != nil {
			t.Fatal(err)
		}
		before := secret.DeepCopy()
		secret.Finalizers = nil
		if err := w.client.Patch(t.Context(), secret, client.MergeFrom(before)); err != nil {
			t.Fatal(err)
		}
		if err := w.client.Delete(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		w.start()
		w.eventually("the container goes", func() (bool, any) { return !w.exists(host.Name("test", namespace, order.Machine)), "there" })
		w.eventually("it is forgotten", func() (bool, any) { return len(w.inventory.list()) == 0, w.inventory.list() })
	})
}

func TestFailures(t *testing.T) {
	w := newWorld(t)
	t.Run("what the engine says is in the report, and tried again", func(t *testing.T) {
		fails := filepath.Join(w.dir, "run-fails")
		if err := os.WriteFile(fails, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		order := w.order("shoot--local--test-pool-5")
		w.eventually("the report tells", func() (bool, any) {
			report := w.report(order.Machine)
			return strings.Contains(report.Message, "no space left on device"), report
		})
		if err := os.Remove(fails); err != nil {
			t.Fatal(err)
		}
		w.becomes(order.Machine, container.Running)
		w.withdraw(order.Machine)
	})
	t.Run("a container of somebody else is not taken", func(t *testing.T) {
		name := host.Name("test", namespace, "shoot--local--test-pool-6")
		foreign := &fakeContainer{Name: name}
		w.foreign(foreign)
		order := w.order("shoot--local--test-pool-6")
		w.eventually("the report tells", func() (bool, any) {
			report := w.report(order.Machine)
			return strings.Contains(report.Message, "was not made for machine"), report
		})
		w.withdraw(order.Machine)
		if !w.exists(name) {
			t.Error("it was removed")
		}
	})
}

func TestName(t *testing.T) {
	long := "shoot--project--shoot-" + strings.Repeat("x", 60)
	for name, tc := range map[string]struct {
		namespace, machine, want string
	}{
		"the landscape goes before the machine":     {"shoot--p--s", "shoot--p--s-pool-z1-a-b", "local-shoot--p--s-pool-z1-a-b"},
		"a machine that does not tell its shoot":    {"shoot--p--s", "m", "local-shoot--p--s-m"},
		"a long name is cut, and told from another": {"shoot--project--shoot", long, host.Name("local", "shoot--project--shoot", long)},
	} {
		t.Run(name, func(t *testing.T) {
			got := host.Name("local", tc.namespace, tc.machine)
			if got != tc.want || len(got) > 63 {
				t.Errorf("name is %q, want %q", got, tc.want)
			}
			if other := host.Name("local", tc.namespace, tc.machine+"y"); other == got {
				t.Errorf("another machine has the same name %q", got)
			}
		})
	}
}
