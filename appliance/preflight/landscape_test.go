package preflight

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/local/doctor"
)

const door = "front-door"

func TestExamineLandscape(t *testing.T) {
	root := t.TempDir()
	p, err := paths.New(root)
	must(t, err)
	if found := ExamineLandscape(p, door, time.Now()); found != nil {
		t.Errorf("of no landscape: %v", found)
	}
	must(t, p.Create())
	s, err := store.Open(p.Store())
	must(t, err)
	must(t, s.SetIdentity(store.Identity{Name: "local", ID: "local-1"}))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer listener.Close()
	port := int32(listener.Addr().(*net.TCPAddr).Port)
	must(t, s.SetPorts(map[string]int32{door: 0, "dns": port}))
	must(t, s.Close())
	_, err = pki.New(p.PKI(), pki.Hosts{GardenAPI: []string{"api.example.org"}, Seed: "local"}, time.Now).Ensure()
	must(t, err)
	year := time.Now().AddDate(1, 0, 0)
	expect := func(t *testing.T, now time.Time, check string, state doctor.State, says string) {
		t.Helper()
		for _, f := range ExamineLandscape(p, door, now) {
			if f.Check == check {
				if f.State != state || !strings.Contains(f.Message, says) || state == doctor.Warning && f.Cure == "" {
					t.Errorf("%s is %+v, want %s and %q", check, f, state, says)
				}
				return
			}
		}
		t.Errorf("nothing is said about %s", check)
	}
	t.Run("APP-2 all is well", func(t *testing.T) {
		expect(t, time.Now(), "certificates", doctor.OK, "the first ends on")
		expect(t, time.Now(), "inventory", doctor.OK, "what was noted")
	})
	t.Run("APP-2 certificates of a landscape that is stopped are renewed later", func(t *testing.T) {
		expect(t, year, "certificates", doctor.OK, "the next start renews them")
	})
	t.Run("APP-2 authorities are not", func(t *testing.T) {
		expect(t, time.Now().AddDate(30, 0, 0), "certificates", doctor.Warning, "ca.crt ends on")
	})
	t.Run("APP-2 a port that another program has", func(t *testing.T) {
		expect(t, time.Now(), "ports", doctor.OK, "the next start chooses others")
		s, err := store.Open(p.Store())
		must(t, err)
		must(t, s.SetPort(door, port))
		must(t, s.Close())
		expect(t, time.Now(), "ports", doctor.Warning, "("+door+")")
	})
	t.Run("APP-2 what was not noted", func(t *testing.T) {
		must(t, os.WriteFile(filepath.Join(root, "notes.txt"), nil, 0o600))
		must(t, os.MkdirAll(filepath.Join(root, "seeds", "gone"), 0o700))
		work := filepath.Join(p.Node("seed"), "work")
		must(t, os.MkdirAll(work, 0o700))
		left := exec.CommandContext(t.Context(), "sleep", "600")
		left.Dir = work
		must(t, left.Start())
		defer func() { _ = left.Process.Kill(); _ = left.Wait() }()
		expect(t, time.Now(), "inventory", doctor.Warning, "notes.txt")
		expect(t, time.Now(), "inventory", doctor.Warning, "seeds/gone")
		expect(t, time.Now(), "inventory", doctor.Warning, "processes are left")
	})
	t.Run("APP-2 a landscape that runs", func(t *testing.T) {
		lock, err := daemon.Acquire(p.Lock())
		must(t, err)
		defer lock.Release()
		expect(t, year, "certificates", doctor.Warning, "ends on")
		expect(t, time.Now(), "disk", doctor.OK, "are free")
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
