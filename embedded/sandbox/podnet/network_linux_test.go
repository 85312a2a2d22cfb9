package podnet_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	"go.uber.org/goleak"

	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/reach"
	"github.com/gardener-up/gardener-up/embedded/sandbox/wire"
	"github.com/gardener-up/gardener-up/embedded/testskip"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

const agentVariable = "GARDENER_TEST_POD_AGENT"

func TestMain(m *testing.M) {
	if os.Getenv(agentVariable) != "" {
		os.Exit(runAgent())
	}
	goleak.VerifyTestMain(m)
}

// pod is a pod under test.
type pod struct {
	*podnet.Network
	address netip.Addr
	process *exec.Cmd

	mu      sync.Mutex
	input   io.Writer
	output  *bufio.Scanner
	refused chan netip.AddrPort
}

var (
	pods = netip.PrefixFrom(netip.AddrFrom4([4]byte{127, 71, 0, 0}), 16)
	node = netip.AddrFrom4([4]byte{127, 71, 0, 1})
	// service is an address that only the pod knows.
	service = netip.MustParseAddrPort("127.72.0.10:53")
)

// logger prints what happens if the tests run with -v.
var logger = funcr.New(func(_, args string) {
	if testing.Verbose() {
		fmt.Fprintln(os.Stderr, args)
	}
}, funcr.Options{Verbosity: 1})

// start starts a pod that may reach what the map names: addresses that the pod sees, and addresses of the machine.
func start(t testing.TB, allowed map[netip.AddrPort]podnet.Dial) *pod {
	t.Helper()
	p := &pod{address: netip.AddrFrom4([4]byte{127, 71, byte(1 + rand.IntN(250)), byte(1 + rand.IntN(250))}), refused: make(chan netip.AddrPort, 16)}
	conn, other, err := wire.Pair()
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	p.process = exec.Command("/proc/self/exe")
	p.process.Env = []string{agentVariable + "=1"}
	p.process.ExtraFiles = []*os.File{other}
	p.process.SysProcAttr = namespaces()
	var errorOutput bytes.Buffer
	p.process.Stderr = &errorOutput
	input, err := p.process.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := p.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.input, p.output = input, bufio.NewScanner(output)
	if err := p.process.Start(); err != nil {
		_ = conn.Close()
		testskip.OutsideCI(t, "no process can be started in namespaces of an ordinary user here: ", err)
	}
	t.Cleanup(func() {
		_ = p.process.Process.Kill()
		_ = p.process.Wait()
		if t.Failed() && errorOutput.Len() > 0 {
			t.Log("the agent wrote: ", errorOutput.String())
		}
	})
	decide := func(_ context.Context, _ podnet.Protocol, destination netip.AddrPort) (podnet.Dial, error) {
		if dial, ok := allowed[destination]; ok {
			return dial, nil
		}
		select {
		case p.refused <- destination:
		default:
		}
		return nil, reach.ErrRefused
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	p.Network, err = podnet.New(ctx, conn.UnixConn, podnet.Config{
		Address: p.address, Node: node, Landscape: []netip.Prefix{pods, netip.PrefixFrom(service.Addr(), 16).Masked()}, Decide: decide, Log: logger,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Network.Close)
	return p
}

// run runs a command in the pod and returns what it printed.
func (p *pod) run(t testing.TB, format string, args ...any) string {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := fmt.Fprintf(p.input, format+"\n", args...); err != nil {
		t.Fatal(err)
	}
	if !p.output.Scan() {
		t.Fatal("the agent has ended")
	}
	return p.output.Text()
}

func (p *pod) at(port uint16) netip.AddrPort { return netip.AddrPortFrom(p.address, port) }

// answers is a check whether the server gives the answer to "hello".
func answers(question func(address, text string) (string, error), address netip.AddrPort, want string) func() error {
	return func() error {
		got, err := question(address.String(), "hello")
		if err == nil && got != want {
			err = fmt.Errorf("answer %q, want %q", got, want)
		}
		return err
	}
}

func TestMachineReachesPod(t *testing.T) {
	p := start(t, nil)
	t.Run("APP-13 a server on an undeclared port is reached at the pod's address, and sees the node as the client", func(t *testing.T) {
		if got := p.run(t, "serve tcp 0.0.0.0:8080"); got != "ok " {
			t.Fatal(got)
		}
		testwait.Until(t, "the server answers", answers(ask, p.at(8080), node.String()+":hello"))
	})
	t.Run("APP-13 a server of IPv6 and IPv4 is reached", func(t *testing.T) {
		if got := p.run(t, "serve tcp [::]:8081"); got != "ok " {
			t.Fatal(got)
		}
		testwait.Until(t, "the server answers", answers(ask, p.at(8081), node.String()+":hello"))
	})
	t.Run("APP-13 a server at the pod's own address is reached by UDP", func(t *testing.T) {
		if got := p.run(t, "serve udp %s", p.at(5353)); got != "ok " {
			t.Fatal(got)
		}
		testwait.Until(t, "the server answers", answers(askPacket, p.at(5353), node.String()+":hello"))
	})
	t.Run("APP-13 a server of UDP at a port of clients is reached", func(t *testing.T) {
		if got := p.run(t, "serve udp 0.0.0.0:51820"); got != "ok " {
			t.Fatal(got)
		}
		testwait.Until(t, "the server answers", answers(askPacket, p.at(51820), node.String()+":hello"))
	})
	t.Run("APP-13 ports below 1024 can be opened in the pod and are dialled without a port on the machine", func(t *testing.T) {
		if got := p.run(t, "serve tcp 0.0.0.0:80"); got != "ok " {
			t.Fatal(got)
		}
		other := netip.AddrFrom4([4]byte{127, 71, 200, 200})
		conn, err := p.Dial(t.Context(), podnet.TCP, 80, other)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, "hello"); err != nil {
			t.Fatal(err)
		}
		_ = conn.(*net.TCPConn).CloseWrite()
		if got, err := io.ReadAll(conn); err != nil || string(got) != other.String()+":hello" {
			t.Errorf("answer %q (%v), want the address of the other pod before the text", got, err)
		}
	})
	t.Run("APP-14 a server on localhost is the pod's own", func(t *testing.T) {
		if got := p.run(t, "serve tcp 127.0.0.1:8090"); got != "ok " {
			t.Fatal(got)
		}
		if got := p.run(t, "ask tcp 127.0.0.1:8090 hello"); got != "ok 127.0.0.1:hello" {
			t.Error(got)
		}
		if _, err := p.Dial(t.Context(), podnet.TCP, 8090, node); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("error %v, want a refused connection", err)
		}
		for _, port := range p.Ports() {
			if port.Number == 8090 {
				t.Error("the port is open on the machine")
			}
		}
	})
	t.Run("APP-13 a port closes on the machine when its server ends", func(t *testing.T) {
		if got := p.run(t, "stop tcp 0.0.0.0:8080"); got != "ok " {
			t.Fatal(got)
		}
		testwait.Until(t, "the port closes", func() error { return refusesConnections(p.at(8080)) })
	})
}

// refusesConnections is a check whether nobody listens.
func refusesConnections(address netip.AddrPort) error {
	conn, err := net.Dial("tcp", address.String())
	if errors.Is(err, syscall.ECONNREFUSED) {
		return nil
	}
	if err == nil {
		_ = conn.Close()
		err = fmt.Errorf("%s is open", address)
	}
	return err
}

// canHold reports whether the kernel has queues for packets.
func canHold() bool {
	_, err := os.Stat("/proc/net/netfilter/nfnetlink_queue")
	return err == nil
}

// server starts a server of the machine.
func server(t testing.TB) netip.AddrPort {
	t.Helper()
	p := programs{servers: map[string]io.Closer{}}
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	if err := errors.Join(p.serve(address), p.servePackets(address)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, s := range p.servers {
			_ = s.Close()
		}
	})
	return netip.MustParseAddrPort(address)
}

func TestPodReachesWhatIsAllowed(t *testing.T) {
	machine := server(t)
	outside, dead := netip.MustParseAddrPort("93.184.216.34:80"), netip.MustParseAddrPort("93.184.216.34:81")
	slow := netip.MustParseAddrPort("93.184.216.34:82")
	p := start(t, map[netip.AddrPort]podnet.Dial{
		outside: reach.Address(podnet.TCP, machine),
		service: reach.Address(podnet.UDP, machine),
		dead:    reach.Address(podnet.TCP, netip.MustParseAddrPort("127.0.0.1:1")),
		slow: func(ctx context.Context) (net.Conn, error) {
			<-time.After(1500 * time.Millisecond) // the kernel repeats the first packet after a second
			return reach.Address(podnet.TCP, machine)(ctx)
		},
	})
	t.Run("APP-13 a pod reaches an address outside", func(t *testing.T) {
		if got := p.run(t, "ask tcp %s hello", outside); got != "ok 127.0.0.1:hello" {
			t.Error(got)
		}
	})
	t.Run("APP-13 a pod sees that an allowed server does not listen", func(t *testing.T) {
		if got := p.run(t, "ask tcp %s hello", dead); !strings.Contains(got, "connection refused") && canHold() || !strings.HasPrefix(got, "error") {
			t.Error(got)
		}
	})
	t.Run("APP-13 a pod waits for a server that answers late", func(t *testing.T) {
		if got := p.run(t, "ask tcp %s hello", slow); got != "ok 127.0.0.1:hello" {
			t.Error(got)
		}
	})
	t.Run("APP-13 a pod asks DNS by UDP at the address of a Service", func(t *testing.T) {
		for range 3 {
			if got := p.run(t, "ask udp %s hello", service); got != "ok 127.0.0.1:hello" {
				t.Error(got)
			}
		}
	})
	t.Run("APP-13 a pod reaches itself at its own address", func(t *testing.T) {
		if got := p.run(t, "serve tcp 0.0.0.0:8080"); got != "ok " {
			t.Fatal(got)
		}
		if got := p.run(t, "ask tcp %s hello", p.at(8080)); got != "ok "+p.address.String()+":hello" {
			t.Error(got)
		}
	})
	t.Run("APP-13 a pod reaches another pod, which sees its address", func(t *testing.T) {
		second := netip.AddrFrom4([4]byte{127, 71, 254, 1})
		client := start(t, map[netip.AddrPort]podnet.Dial{p.at(8080): func(ctx context.Context) (net.Conn, error) {
			return p.Dial(ctx, podnet.TCP, 8080, second)
		}})
		if got := client.run(t, "ask tcp %s hello", p.at(8080)); got != "ok "+second.String()+":hello" {
			t.Error(got)
		}
	})
}

func TestPodDoesNotReachTheMachine(t *testing.T) {
	machine := server(t)
	p := start(t, nil)
	inLandscape := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 71, 0, 77}), machine.Port())
	other := programs{servers: map[string]io.Closer{}}
	if err := errors.Join(other.serve(inLandscape.String()), other.servePackets(inLandscape.String())); err != nil {
		t.Fatal(err)
	}
	defer func() {
		for _, s := range other.servers {
			_ = s.Close()
		}
	}()
	t.Run("APP-14 a listener on the machine's localhost does not exist in the pod", func(t *testing.T) {
		if got := p.run(t, "ask tcp %s hello", machine); !strings.Contains(got, "connection refused") {
			t.Error(got)
		}
		if got := p.run(t, "ask udp %s hello", machine); !strings.HasPrefix(got, "error") {
			t.Error(got)
		}
	})
	t.Run("APP-14 a listener among the landscape's addresses is refused", func(t *testing.T) {
		if err := answers(ask, inLandscape, "127.0.0.1:hello")(); err != nil {
			t.Fatal("the machine does not reach it either: ", err)
		}
		if got := p.run(t, "ask tcp %s hello", inLandscape); !strings.Contains(got, "connect: connection refused") && canHold() {
			t.Errorf("the client does not see that it is refused when it connects: %s", got)
		}
		<-p.refused
		for _, protocol := range []string{"tcp", "udp"} {
			if got := p.run(t, "ask %s %s hello", protocol, inLandscape); !strings.HasPrefix(got, "error") {
				t.Errorf("%s: %s", protocol, got)
			}
			select {
			case got := <-p.refused:
				if got != inLandscape {
					t.Errorf("%s: decision about %s, want %s", protocol, got, inLandscape)
				}
			default:
				t.Errorf("%s: no decision", protocol)
			}
		}
	})
	t.Run("APP-14 the port of the daemon in the pod leads nowhere", func(t *testing.T) {
		for _, protocol := range []string{"tcp", "udp"} {
			if got := p.run(t, "ask %s 127.0.0.1:64901 hello", protocol); !strings.HasPrefix(got, "error") {
				t.Errorf("%s: %s", protocol, got)
			}
		}
		select {
		case asked := <-p.refused:
			t.Errorf("a decision about %s", asked)
		default:
		}
	})
}

// descriptors returns the open files of this process.
func descriptors(t testing.TB) []string {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, entry := range entries {
		target, _ := os.Readlink("/proc/self/fd/" + entry.Name())
		files = append(files, target)
	}
	return files
}

func TestEnds(t *testing.T) {
	for name, end := range map[string]func(*pod){
		"APP-13 listeners and connections vanish when the agent is killed":        func(p *pod) { _ = p.process.Process.Kill() },
		"APP-13 the agent and its namespaces vanish when the daemon's end closes": func(p *pod) { p.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			before := descriptors(t)
			func() {
				p := start(t, nil)
				if got := p.run(t, "serve tcp 0.0.0.0:8080"); got != "ok " {
					t.Fatal(got)
				}
				testwait.Until(t, "the server answers", answers(ask, p.at(8080), node.String()+":hello"))
				held, err := net.Dial("tcp", p.at(8080).String())
				if err != nil {
					t.Fatal(err)
				}
				defer held.Close()
				end(p)
				select {
				case <-p.Done():
				case <-time.After(10 * time.Second):
					t.Fatal("the network does not end")
				}
				_ = held.SetReadDeadline(time.Now().Add(5 * time.Second))
				if _, err := held.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("a connection is still open: %v", err)
				}
				if err := refusesConnections(p.at(8080)); err != nil {
					t.Error(err)
				}
				if _, err := p.Dial(t.Context(), podnet.TCP, 8080, node); err == nil {
					t.Error("the pod can still be dialled")
				}
				if err := p.process.Wait(); err != nil && !strings.Contains(err.Error(), "killed") {
					t.Error(err)
				}
			}()
			testwait.Until(t, "the files are closed", func() error {
				runtime.GC() // closes pipes that the copying of data keeps for the next connection
				if now := descriptors(t); len(now) > len(before) {
					return fmt.Errorf("open files %v, before %v", now, before)
				}
				return nil
			})
		})
	}
}

func TestSetupFails(t *testing.T) {
	t.Run("APP-13 an agent that ends early is an error and not a wait", func(t *testing.T) {
		conn, other, err := wire.Pair()
		if err != nil {
			t.Fatal(err)
		}
		_ = other.Close()
		_, err = podnet.New(t.Context(), conn.UnixConn, podnet.Config{
			Address: netip.MustParseAddr("127.71.0.9"), Node: node, Landscape: []netip.Prefix{pods},
			Decide: func(context.Context, podnet.Protocol, netip.AddrPort) (podnet.Dial, error) {
				return nil, reach.ErrRefused
			},
		})
		if err == nil {
			t.Error("no error")
		}
	})
	t.Run("APP-14 a network without a decision is not made", func(t *testing.T) {
		conn, other, err := wire.Pair()
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		if _, err := podnet.New(t.Context(), conn.UnixConn, podnet.Config{Address: netip.MustParseAddr("127.71.0.9"), Node: node, Landscape: []netip.Prefix{pods}}); err == nil {
			t.Error("no error")
		}
	})
}

// TestAsOrdinaryUser runs the tests of this package again as a user without rights.
func TestAsOrdinaryUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("the tests already run as an ordinary user")
	}
	const nobody = 65534
	cmd := exec.Command("/proc/self/exe", "-test.run=^(TestMachineReachesPod|TestPodReachesWhatIsAllowed|TestPodDoesNotReachTheMachine|TestEnds)$")
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), "TMPDIR=/tmp")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
}
