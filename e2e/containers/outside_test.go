package containers

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"github.com/gardener-up/gardener-up/embedded/testskip"
)

// The network of a neighbour of the machine. The landscape lists it in tenants.privateNetworks.
const (
	neighbours   = "10.203.117.0/24"
	ownAddress   = "10.203.117.1/24"
	neighbour    = "10.203.117.2/24"
	neighbourURL = "http://10.203.117.2:8080"
)

// cable is the name of the neighbour's end of the cable between both.
const cable = "gdnr-neighbour"

// outside reaches a neighbour of the machine, which a process in a network of its own plays. Only root can connect it.
func outside(t *testing.T, f *fixture) {
	if os.Geteuid() != 0 {
		testskip.OutsideCI(t, "root, who can connect another network with the machine")
	}
	plugNeighbour(t, f)
	f.Eventually(time.Minute, "the neighbour answers the machine", func() (bool, string) {
		said := fetch(neighbourURL)
		return said == "outside", said
	})
	if said := f.Kubectl(f.shoot, "exec", "web", "--", program, "get", neighbourURL); said != "outside" {
		t.Errorf("the neighbour says %s", said)
	}
	own, err := net.Listen("tcp", "10.203.117.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	if r := f.TryKubectl(f.shoot, "exec", "web", "--", program, "get", "http://"+own.Addr().String()); r.Code == 0 {
		t.Error("an address of the machine is reached, because the network is listed")
	}
}

// closed says whether the neighbour is out of reach after the landscape was closed.
func closed(t *testing.T, f *fixture) {
	if os.Geteuid() != 0 {
		return
	}
	f.Eventually(time.Minute, "the pod reaches Services again", func() (bool, string) {
		r := f.TryKubectl(f.shoot, "exec", "web", "--", program, "get", "http://names")
		return r.Code == 0, r.Stdout
	})
	if said := fetch(neighbourURL); said != "outside" {
		t.Fatalf("the neighbour says to the machine: %s", said)
	}
	if r := f.TryKubectl(f.shoot, "exec", "web", "--", program, "get", neighbourURL); r.Code == 0 || !strings.Contains(r.Stdout, "connect") {
		t.Errorf("the outside is not closed: %s", r.Stdout)
	}
}

// plugNeighbour starts the neighbour until the end of the test.
func plugNeighbour(t *testing.T, f *fixture) {
	t.Helper()
	process := exec.Command("/proc/self/exe", "neighbour")
	process.Args[0] = program
	process.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	if _, err := process.StdinPipe(); err != nil { // it ends with this process
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	f.root.Cleanup(func() { _ = process.Process.Kill(); _ = process.Wait() })
	own := &netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: fmt.Sprintf("gdnr%d", os.Getpid()%1e6)}, PeerName: cable, PeerNamespace: netlink.NsPid(process.Process.Pid)}
	if err := netlink.LinkAdd(own); err != nil {
		t.Fatal(err)
	}
	f.root.Cleanup(func() { _ = netlink.LinkDel(own) })
	if err := address(own.Name, ownAddress); err != nil {
		t.Fatal(err)
	}
}

// address gives an interface an address and brings it up.
func address(name, text string) error {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return err
	}
	parsed, err := netlink.ParseAddr(text)
	if err != nil {
		return err
	}
	if err := netlink.AddrAdd(link, parsed); err != nil {
		return err
	}
	return netlink.LinkSetUp(link)
}

// playNeighbour serves in its own network, once the cable is there.
func playNeighbour() int {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	for attempt := time.NewTicker(50 * time.Millisecond); ; <-attempt.C {
		if address(cable, neighbour) == nil {
			break
		}
	}
	fmt.Fprintln(os.Stderr, http.ListenAndServe(":8080", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "outside") })))
	return 1
}
