package connectivity

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

const (
	// most is how many addresses one request may name.
	most = 32
	// dialTimeout is long enough for a network that loses a packet.
	dialTimeout = 4 * time.Second
	// Path of the request, and Param, which it has for each address.
	Path, Param = "/try", "to"
)

// Result says for each address why it was not reached. The text is empty if it was.
type Result map[string]string

// Handler serves requests to try connections, and /healthz. try is Try.
func Handler(try func(context.Context, []string) Result) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET "+Path, func(w http.ResponseWriter, r *http.Request) {
		addresses := r.URL.Query()[Param]
		if err := acceptable(addresses); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(try(r.Context(), addresses)) // the other end has gone
	})
	return mux
}

// acceptable refuses what is no address of a pod or Service.
func acceptable(addresses []string) error {
	if len(addresses) == 0 || len(addresses) > most {
		return fmt.Errorf("the request names %d addresses, not 1 to %d", len(addresses), most)
	}
	for _, address := range addresses {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("%q is no address with a port", address)
		}
		if ip := at.Addr().Unmap(); !ip.IsGlobalUnicast() {
			return fmt.Errorf("%s is no address of a pod or a Service", ip)
		}
	}
	return nil
}

// Try connects to all addresses at once by TCP.
func Try(ctx context.Context, addresses []string) Result {
	var mu sync.Mutex
	var all sync.WaitGroup
	out := Result{}
	for _, address := range addresses {
		all.Go(func() {
			failure := ""
			if connection, err := (&net.Dialer{Timeout: dialTimeout}).DialContext(ctx, "tcp", address); err != nil {
				failure = err.Error()
			} else {
				_ = connection.Close()
			}
			mu.Lock()
			defer mu.Unlock()
			out[address] = failure
		})
	}
	all.Wait()
	return out
}
