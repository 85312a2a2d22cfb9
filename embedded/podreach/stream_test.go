package podreach_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	//lint:ignore SA1019 the dialer of client-go has types of this package
	"k8s.io/apimachinery/pkg/util/httpstream"
	//lint:ignore SA1019 the dialer of client-go has types of this package
	"k8s.io/apimachinery/pkg/util/httpstream/spdy"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"

	"github.com/gardener-up/gardener-up/embedded/podreach"
)

// apiServer forwards to one pod. Port 7 sends back what it gets, and no other port exists.
func apiServer(t *testing.T) *rest.Config {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path != "/api/v1/namespaces/garden/pods/web/portforward" {
			http.Error(w, "no such pod", http.StatusNotFound)
			return
		}
		if _, err := httpstream.Handshake(r, w, []string{portforward.PortForwardProtocolV1Name}); err != nil {
			t.Error(err)
			return
		}
		streams := make(chan httpstream.Stream, 2)
		conn := spdy.NewResponseUpgrader().UpgradeResponse(w, r, func(stream httpstream.Stream, _ <-chan struct{}) error {
			streams <- stream
			return nil
		})
		if conn == nil {
			return
		}
		defer conn.Close()
		byKind := map[string]httpstream.Stream{}
		for range 2 {
			select {
			case stream := <-streams:
				byKind[stream.Headers().Get(corev1.StreamType)] = stream
			case <-conn.CloseChan():
				return
			}
		}
		data, reasons := byKind[corev1.StreamTypeData], byKind[corev1.StreamTypeError]
		if port := data.Headers().Get(corev1.PortHeader); port != "7" {
			fmt.Fprintf(reasons, "nobody listens on port %s", port)
			_ = reasons.Close()
			<-conn.CloseChan()
			return
		}
		_ = reasons.Close()
		_, _ = io.Copy(data, data)
		_ = data.Close()
		<-conn.CloseChan()
	}))
	t.Cleanup(server.Close)
	return &rest.Config{Host: server.URL}
}

func TestStream(t *testing.T) {
	api := apiServer(t)
	web := types.NamespacedName{Namespace: "garden", Name: "web"}
	t.Run("GLT-22 a stream carries bytes both ways", func(t *testing.T) {
		stream, err := podreach.Stream(t.Context(), api, web, "7")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(stream, "hello"); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 5)
		if _, err := io.ReadFull(stream, got); err != nil || string(got) != "hello" {
			t.Errorf("got %q, %v", got, err)
		}
		if err := errors.Join(stream.Close(), stream.Close()); err != nil {
			t.Errorf("close: %v", err)
		}
		if _, err := stream.Read(got); err == nil {
			t.Error("a closed stream can be read")
		}
	})
	t.Run("a port where nobody listens tells why", func(t *testing.T) {
		stream, err := podreach.Stream(t.Context(), api, web, "8")
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Close()
		if _, err := stream.Read(make([]byte, 1)); err == nil || err.Error() != "nobody listens on port 8" {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("a pod that does not exist is an error at once", func(t *testing.T) {
		if _, err := podreach.Stream(t.Context(), api, types.NamespacedName{Namespace: "garden", Name: "none"}, "7"); err == nil {
			t.Error("there is a stream")
		}
	})
}
