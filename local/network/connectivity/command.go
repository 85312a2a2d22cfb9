package connectivity

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// Name of the component and of its objects.
const Name = "connectivity-test"

// Command is the component connectivity-test.
func Command() *cobra.Command {
	var bind string
	cmd := &cobra.Command{
		Use:   Name,
		Short: "Try connections to pods and Services on request, from a pod",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return serve(cmd.Context(), bind) },
	}
	cmd.Flags().StringVar(&bind, "bind-address", fmt.Sprintf(":%d", Port), "where to serve requests")
	return cmd
}

func serve(ctx context.Context, bind string) error {
	listener, err := net.Listen("tcp", bind)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	server := &http.Server{Handler: Handler(Try), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	log.Log.WithName(Name).Info("Serving", "address", listener.Addr().String())
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*dialTimeout)
		defer cancel()
		if err := server.Shutdown(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("stop serving: %w", err)
		}
		return nil
	}
}
