package state

import (
	"fmt"
	"io"
	"net"
)

// claim listens at an abstract socket that stands for the port. Nobody connects to it. It has no file, and belongs to the same network
// namespace as the port. A socket at the port itself would be in the way of its server. The error is EADDRINUSE if somebody has claimed it.
func claim(port int32) (io.Closer, error) {
	return net.Listen("unix", fmt.Sprintf("@gardener-up/port/%d", port))
}
