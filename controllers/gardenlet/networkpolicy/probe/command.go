package probe

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/spf13/cobra"
)

// Name of the component in the pods.
const Name = "network-probe"

// dialEvery is the interval between attempts, and the timeout of one attempt.
const dialEvery = time.Second

// Command dials an address repeatedly, since networks apply pods and policies with a delay. The last attempt counts.
func Command() *cobra.Command {
	var (
		address string
		during  time.Duration
	)
	cmd := &cobra.Command{
		Use:   Name,
		Short: "Tell whether a connection is possible, from a pod",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return Dial(cmd.Context(), address, during)
		},
	}
	cmd.Flags().StringVar(&address, "address", "", "host:port to connect to by TCP")
	cmd.Flags().DurationVar(&during, "for", 10*time.Second, "how long to try")
	_ = cmd.MarkFlagRequired("address") // fails only for a flag that does not exist
	return cmd
}

// Dial returns the error of the last attempt.
func Dial(ctx context.Context, address string, during time.Duration) error {
	err := repeat(ctx, during, func() error {
		connection, err := (&net.Dialer{Timeout: dialEvery}).DialContext(ctx, "tcp", address)
		if err != nil {
			return err
		}
		_ = connection.Close()
		return nil
	})
	if err != nil {
		return fmt.Errorf("connect to %s: %w", address, err)
	}
	return nil
}

// repeat returns the error of the last attempt that begins in time.
func repeat(ctx context.Context, during time.Duration, attempt func() error) error {
	end := time.Now().Add(during)
	for {
		err := attempt()
		if time.Now().Add(dialEvery).After(end) || ctx.Err() != nil {
			return err
		}
		select {
		case <-time.After(dialEvery):
		case <-ctx.Done():
		}
	}
}
