package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// maxMessage is the largest message in bytes. It is below the default size of a socket's buffer, 212,992 bytes, which limits a packet.
const maxMessage = 192 << 10

// ErrTooLarge says that a message exceeds what a packet can hold, for example because of very long arguments.
var ErrTooLarge = errors.New("message is larger than 192 KiB")

// Conn sends and receives messages. One goroutine may receive while others send.
type Conn struct{ *net.UnixConn }

// Pair returns two connected ends. The second is a file that can be passed to a child.
func Pair() (Conn, *os.File, error) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return Conn{}, nil, fmt.Errorf("make pair of sockets: %w", err)
	}
	own, err := NewConn(os.NewFile(uintptr(ends[0]), "node"))
	if err != nil {
		_ = unix.Close(ends[1])
		return Conn{}, nil, err
	}
	return own, os.NewFile(uintptr(ends[1]), "agent"), nil
}

// NewConn makes a connection of a socket and closes the file.
func NewConn(file *os.File) (Conn, error) {
	defer file.Close()
	conn, err := net.FileConn(file)
	if err != nil {
		return Conn{}, fmt.Errorf("use socket: %w", err)
	}
	unixConn, ok := conn.(*net.UnixConn)
	if !ok {
		_ = conn.Close()
		return Conn{}, fmt.Errorf("use socket: %T is no Unix socket", conn)
	}
	return Conn{unixConn}, nil
}

// Send sends a message and copies of the files. The caller keeps and closes its own files.
func (c Conn) Send(message any, files ...*os.File) error {
	data, err := json.Marshal(message)
	if err != nil {
		return err
	}
	if len(data) > maxMessage {
		return ErrTooLarge
	}
	var rights []byte
	if len(files) > 0 {
		fds := make([]int, len(files))
		for i, file := range files {
			fds[i] = int(file.Fd())
		}
		rights = unix.UnixRights(fds...)
	}
	_, _, err = c.WriteMsgUnix(data, rights, nil)
	return err
}

// Receive waits for a message and returns its files, which belong to the caller. The error is io.EOF when the other end is closed.
func (c Conn) Receive(message any) ([]*os.File, error) {
	data, rights := make([]byte, maxMessage), make([]byte, unix.CmsgSpace(maxFiles*4))
	n, m, flags, _, err := c.ReadMsgUnix(data, rights)
	if err != nil {
		return nil, err
	}
	files, err := filesIn(rights[:m])
	switch {
	case err != nil:
	case n == 0:
		err = io.EOF
	case flags&(unix.MSG_TRUNC|unix.MSG_CTRUNC) != 0:
		err = ErrTooLarge
	default:
		err = json.Unmarshal(data[:n], message)
	}
	if err != nil {
		Close(files)
		return nil, err
	}
	return files, nil
}

// maxFiles is how many files come with a message at most: the standard streams and, for an agent, two connections and three doors of control groups.
const maxFiles = 8

func filesIn(rights []byte) ([]*os.File, error) {
	if len(rights) == 0 {
		return nil, nil
	}
	messages, err := unix.ParseSocketControlMessage(rights)
	if err != nil {
		return nil, fmt.Errorf("read passed files: %w", err)
	}
	var files []*os.File
	for _, message := range messages {
		fds, err := unix.ParseUnixRights(&message)
		if err != nil {
			continue
		}
		for _, fd := range fds {
			unix.CloseOnExec(fd)
			files = append(files, os.NewFile(uintptr(fd), "passed"))
		}
	}
	return files, nil
}

// Close closes all files.
func Close(files []*os.File) {
	for _, file := range files {
		_ = file.Close()
	}
}
