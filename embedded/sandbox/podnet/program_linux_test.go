package podnet_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/inside"
	"github.com/gardener-up/gardener-up/embedded/sandbox/wire"
)

// runAgent is the life of the process in the pod's namespaces: it serves the daemon, and runs commands that it reads from the
// standard input. It answers each command by one line.
func runAgent() int {
	conn, err := wire.NewConn(os.NewFile(3, "daemon"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	go func() {
		programs := programs{servers: map[string]io.Closer{}}
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			fmt.Println(programs.run(strings.Fields(lines.Text())))
		}
	}()
	if err := inside.Serve(context.Background(), conn.UnixConn); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// programs are what runs in the pod.
type programs struct {
	servers map[string]io.Closer
}

func (p *programs) run(words []string) string {
	if len(words) < 3 {
		return "error: a command has three words"
	}
	command, network, address := words[0], words[1], words[2]
	var result string
	var err error
	switch {
	case command == "serve" && network == "udp":
		err = p.servePackets(address)
	case command == "serve":
		err = p.serve(address)
	case command == "stop":
		err = p.servers[network+address].Close()
	case command == "ask" && network == "udp":
		result, err = askPacket(address, words[3])
	case command == "ask":
		result, err = ask(address, words[3])
	case command == "send": // benchmark: sends until the other side closes
		err = send(address)
	case command == "connect": // benchmark: connects a number of times
		err = connectTimes(address, len(words[3]))
	default:
		err = fmt.Errorf("unknown command %q", command)
	}
	if err != nil {
		return "error: " + err.Error()
	}
	return "ok " + result
}

// serve starts a server that tells a client its address and then repeats what the client sends. A client that sends "take" gets
// nothing back.
func (p *programs) serve(address string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	p.servers["tcp"+address] = listener
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				origin, _, _ := net.SplitHostPort(conn.RemoteAddr().String())
				reader := bufio.NewReader(conn)
				if start, _ := reader.Peek(4); string(start) == "take" {
					_, _ = io.Copy(io.Discard, conn)
					return
				}
				fmt.Fprintf(conn, "%s:", origin)
				_, _ = io.Copy(conn, reader)
			}()
		}
	}()
	return nil
}

func (p *programs) servePackets(address string) error {
	socket, err := net.ListenPacket("udp", address)
	if err != nil {
		return err
	}
	p.servers["udp"+address] = socket
	go func() {
		buffer := make([]byte, 1500)
		for {
			n, client, err := socket.ReadFrom(buffer)
			if err != nil {
				return
			}
			origin, _, _ := net.SplitHostPort(client.String())
			_, _ = socket.WriteTo([]byte(origin+":"+string(buffer[:n])), client)
		}
	}()
	return nil
}

var patience = net.Dialer{Timeout: 5 * time.Second}

// ask sends a text by TCP and returns the whole answer.
func ask(address, text string) (string, error) {
	conn, err := patience.Dial("tcp", address)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
	if _, err := io.WriteString(conn, text); err != nil {
		return "", err
	}
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		return "", err
	}
	answer, err := io.ReadAll(conn)
	return string(answer), err
}

// askPacket sends a packet and returns the answer.
func askPacket(address, text string) (string, error) {
	conn, err := patience.Dial("udp", address)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	if _, err := io.WriteString(conn, text); err != nil {
		return "", err
	}
	buffer := make([]byte, 1500)
	n, err := conn.Read(buffer)
	return string(buffer[:n]), err
}

func send(address string) error {
	conn, err := patience.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	for data := make([]byte, 256<<10); ; {
		if _, err := conn.Write(data); err != nil {
			return nil
		}
	}
}

func connectTimes(address string, times int) error {
	var wg sync.WaitGroup
	errs := make(chan error, times)
	for range times {
		wg.Go(func() {
			_, err := ask(address, "x")
			errs <- err
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// namespaces are those of a pod, made as an ordinary user makes them.
func namespaces() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
}
