package tunnel

import (
	"io"
	"net"
	"sync"
)

// join copies both ways until both directions have ended, then closes both connections. The end of one direction is passed on
// as a half-close.
func join(a, b net.Conn) {
	var wg sync.WaitGroup
	wg.Go(func() { pass(a, b) })
	pass(b, a)
	wg.Wait()
	_ = a.Close()
	_ = b.Close()
}

func pass(dst, src net.Conn) {
	if _, err := io.Copy(dst, src); err != nil { // nothing useful can come of the other direction either
		_ = dst.Close()
		_ = src.Close()
		return
	}
	if half, ok := dst.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
		return
	}
	_ = dst.Close() // of a stream: the other direction stays open
}
