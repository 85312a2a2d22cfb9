package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/spf13/cobra"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// Name of the component.
const Name = "registry-cache"

// Files of the credentials directory.
const (
	FileUsername = "username"
	FilePassword = "password"
)

type options struct {
	remote, dir, bind, credentials string
	port                           int
	ttl                            time.Duration
}

// Command is the component registry-cache.
func Command() *cobra.Command {
	o := options{}
	cmd := &cobra.Command{
		Use:   Name,
		Short: "Serve the images of another registry, and keep what was pulled",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.remote, "remote-url", "", "URL of the registry, http:// or https://")
	flags.StringVar(&o.dir, "dir", "", "directory for what is kept")
	flags.StringVar(&o.bind, "bind-address", "", "address to listen at (default: all)")
	flags.IntVar(&o.port, "port", 5000, "port to listen at")
	flags.StringVar(&o.credentials, "credentials-dir", "", "directory with the files "+FileUsername+" and "+FilePassword+" (default: ask without)")
	flags.DurationVar(&o.ttl, "ttl", 0, "how long something is kept after it was fetched; 0 keeps it for ever")
	for _, required := range []string{"remote-url", "dir"} {
		if err := cmd.MarkFlagRequired(required); err != nil {
			panic(err) // a flag that was not declared above
		}
	}
	return cmd
}

// Registry reads the URL of a registry.
func Registry(text string) (name.Registry, error) {
	parsed, err := url.Parse(text)
	if err != nil {
		return name.Registry{}, err
	}
	var opts []name.Option
	switch parsed.Scheme {
	case "https":
	case "http":
		opts = append(opts, name.Insecure)
	default:
		return name.Registry{}, fmt.Errorf("%q does not begin with http:// or https://", text)
	}
	if parsed.Host == "" || strings.Trim(parsed.Path, "/") != "" || parsed.User != nil || parsed.RawQuery != "" || parsed.Fragment != "" {
		return name.Registry{}, fmt.Errorf("%q is not just a scheme and a host", text)
	}
	return name.NewRegistry(parsed.Host, opts...)
}

func (o options) run(ctx context.Context) error {
	registry, err := Registry(o.remote)
	if err != nil {
		return fmt.Errorf("read URL of the registry: %w", err)
	}
	auth, err := o.authenticator()
	if err != nil {
		return err
	}
	dir, err := filepath.Abs(o.dir)
	if err != nil {
		return fmt.Errorf("find directory: %w", err)
	}
	cache := &Cache{Upstream: registry, Auth: auth, Dir: dir, TTL: o.ttl, Clock: clock.RealClock{}, Log: log.Log.WithName(Name)}
	listener, err := net.Listen("tcp", net.JoinHostPort(o.bind, strconv.Itoa(o.port)))
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	server := &http.Server{Handler: cache, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go cache.Sweep(ctx)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	cache.Log.Info("Serving", "address", listener.Addr().String(), "registry", registry.Name())
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if err := server.Shutdown(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("stop serving: %w", err)
		}
		return nil
	}
}

func (o options) authenticator() (authn.Authenticator, error) {
	if o.credentials == "" {
		return authn.Anonymous, nil
	}
	username, err := os.ReadFile(filepath.Join(o.credentials, FileUsername))
	if err != nil {
		return nil, fmt.Errorf("read credentials: %w", err)
	}
	password, err := os.ReadFile(filepath.Join(o.credentials, FilePassword))
	if err != nil {
		return nil, fmt.Errorf("read credentials: %w", err)
	}
	return authn.FromConfig(authn.AuthConfig{Username: strings.TrimSpace(string(username)), Password: string(password)}), nil
}
