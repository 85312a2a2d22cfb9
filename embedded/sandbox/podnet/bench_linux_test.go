package podnet_test

import (
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/reach"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// take reads as much as the benchmark asks for.
func take(b *testing.B, conn io.Reader) {
	const piece = 1 << 20
	b.SetBytes(piece)
	b.ResetTimer()
	for range b.N {
		if _, err := io.CopyN(io.Discard, conn, piece); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
}

// BenchmarkBytesOut measures the data that a pod sends.
func BenchmarkBytesOut(b *testing.B) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer listener.Close()
	outside := netip.MustParseAddrPort("93.184.216.34:80")
	p := start(b, map[netip.AddrPort]podnet.Dial{outside: reach.Address(podnet.TCP, listener.Addr().(*net.TCPAddr).AddrPort())})
	done := make(chan string, 1)
	go func() { done <- p.run(b, "send tcp %s", outside) }()
	conn, err := listener.Accept()
	if err != nil {
		b.Fatal(err)
	}
	take(b, conn)
	_ = conn.Close()
	if got := <-done; got != "ok " {
		b.Error(got)
	}
}

// give sends as much as the benchmark asks for to a server in a pod.
func give(b *testing.B, conn net.Conn) {
	defer conn.Close()
	if _, err := io.WriteString(conn, "take"); err != nil {
		b.Fatal(err)
	}
	piece := make([]byte, 1<<20)
	b.SetBytes(int64(len(piece)))
	b.ResetTimer()
	for range b.N {
		if _, err := conn.Write(piece); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
}

func serving(b *testing.B) *pod {
	p := start(b, nil)
	if got := p.run(b, "serve tcp 0.0.0.0:8080"); got != "ok " {
		b.Fatal(got)
	}
	testwait.Until(b, "the server answers", answers(ask, p.at(8080), node.String()+":hello"))
	return p
}

// BenchmarkBytesIn measures the data that a server in a pod receives from the machine.
func BenchmarkBytesIn(b *testing.B) {
	p := serving(b)
	conn, err := net.Dial("tcp", p.at(8080).String())
	if err != nil {
		b.Fatal(err)
	}
	give(b, conn)
}

// BenchmarkBytesBare is the measure for the others: the same server without a pod.
func BenchmarkBytesBare(b *testing.B) {
	conn, err := net.Dial("tcp", server(b).String())
	if err != nil {
		b.Fatal(err)
	}
	give(b, conn)
}

// BenchmarkConnectionsOut measures connections of a pod with a question and an answer, 16 at a time.
func BenchmarkConnectionsOut(b *testing.B) {
	outside := netip.MustParseAddrPort("93.184.216.34:80")
	p := start(b, map[netip.AddrPort]podnet.Dial{outside: reach.Address(podnet.TCP, server(b))})
	const together = 16
	b.ResetTimer()
	for n := 0; n < b.N; n += together {
		if got := p.run(b, "connect tcp %s %s", outside, strings.Repeat("x", min(together, b.N-n))); got != "ok " {
			b.Fatal(got)
		}
	}
}

func connections(b *testing.B, address string) {
	b.ResetTimer()
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := ask(address, "x"); err != nil {
				b.Error(err)
			}
		}
	})
}

// BenchmarkConnectionsIn measures connections to a server in a pod with a question and an answer.
func BenchmarkConnectionsIn(b *testing.B) { connections(b, serving(b).at(8080).String()) }

// BenchmarkConnectionsBare is the measure for the others: the same server without a pod.
func BenchmarkConnectionsBare(b *testing.B) { connections(b, server(b).String()) }
