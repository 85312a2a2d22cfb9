package kernel

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// answerTimeout is the time that the kernel gets to answer. It answers at once.
const answerTimeout = 5 * time.Second

// conn asks questions by a netlink socket, one after the other.
type conn struct {
	mu       sync.Mutex
	file     *os.File
	sequence uint32
	buffer   []byte
}

// newConn takes over the socket, which must not block. The kernel sends at most 32 KiB at a time.
func newConn(file *os.File) *conn { return &conn{file: file, buffer: make([]byte, 32<<10)} }

func (c *conn) Close() error { return c.file.Close() }

// ask sends a question and passes each answer to the function: one, or all if the flags contain NLM_F_DUMP.
func (c *conn) ask(kind, flags uint16, question []byte, answer func([]byte)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sequence++
	_ = c.file.SetDeadline(time.Now().Add(answerTimeout))
	if _, err := c.file.Write(newMessage(kind, flags, c.sequence, question)); err != nil {
		return fmt.Errorf("ask the kernel: %w", err)
	}
	for {
		n, err := c.file.Read(c.buffer)
		if err != nil {
			return fmt.Errorf("read the kernel's answer: %w", err)
		}
		messages, err := syscall.ParseNetlinkMessage(c.buffer[:n])
		if err != nil {
			return fmt.Errorf("read the kernel's answer: %w", err)
		}
		for _, m := range messages {
			if m.Header.Seq != c.sequence {
				continue // late answer to a question that timed out
			}
			switch m.Header.Type {
			case unix.NLMSG_DONE:
				return nil
			case unix.NLMSG_ERROR:
				return kernelError(m.Data)
			}
			answer(m.Data)
			if flags&unix.NLM_F_DUMP == 0 {
				return nil // ctnetlink announces further answers that never come
			}
		}
	}
}

// newMessage puts a header before the content of a request.
func newMessage(kind, flags uint16, sequence uint32, content []byte) []byte {
	message := make([]byte, unix.NLMSG_HDRLEN, unix.NLMSG_HDRLEN+len(content))
	binary.NativeEndian.PutUint32(message[0:], uint32(unix.NLMSG_HDRLEN+len(content)))
	binary.NativeEndian.PutUint16(message[4:], kind)
	binary.NativeEndian.PutUint16(message[6:], unix.NLM_F_REQUEST|flags)
	binary.NativeEndian.PutUint32(message[8:], sequence)
	return append(message, content...)
}

func kernelError(data []byte) error {
	if len(data) < 4 {
		return errors.New("the kernel answered with a short error")
	}
	if code := int32(binary.NativeEndian.Uint32(data)); code != 0 {
		return syscall.Errno(-code)
	}
	return nil
}
