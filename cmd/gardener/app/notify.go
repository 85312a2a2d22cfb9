package app

import (
	"net"
	"os"
	"strings"
	"sync"
)

// notifySocket takes the socket of the service manager from the environment: the kubelet of an embedded node would use it, too.
var notifySocket = sync.OnceValue(func() string {
	name := os.Getenv("NOTIFY_SOCKET")
	_ = os.Unsetenv("NOTIFY_SOCKET")
	return name
})

// notify tells a service manager how the process is, if one asks for it: sd_notify(3). It is best effort.
func notify(state string) {
	name := notifySocket()
	if name == "" {
		return
	}
	if strings.HasPrefix(name, "@") {
		name = "\x00" + name[1:]
	}
	connection, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		return
	}
	defer connection.Close()
	_, _ = connection.Write([]byte(state))
}
