package gardenapi

import (
	"context"
	"fmt"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/zapr"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.uber.org/zap"
	cliflag "k8s.io/component-base/cli/flag"

	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission"
	"github.com/gardener-up/gardener-up/embedded/internal/storagelimit"
)

// stopTimeout limits the graceful shutdown after a signal.
const stopTimeout = 30 * time.Second

// Command runs the server as a component of the binary; Gardener calls it gardener-apiserver. The server shuts down
// gracefully on SIGTERM and SIGINT.
func Command() *cobra.Command {
	var config Config
	config.setDefaults()
	var logs logOptions
	var disk storagelimit.Disk
	cmd := &cobra.Command{
		Use:          "apiserver",
		Aliases:      []string{"gardener-apiserver"},
		Short:        "Run the Gardener API server",
		SilenceUsage: true,
		Args:         cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if config.Log, err = logs.logger(); err != nil {
				return err
			}
			if config.Disk, err = disk.Watch(); err != nil {
				return err
			}
			config.WatchEtcd = true
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM)
			defer stop()
			return runUntil(ctx, New(config))
		},
	}
	addFlags(cmd.Flags(), &config)
	disk.AddFlag(cmd.Flags())
	logs.addFlags(cmd.Flags())
	return cmd
}

// Parse turns the flags of Command into a Config.
func Parse(args []string) (Config, error) {
	var config Config
	config.setDefaults()
	var logs logOptions
	flags := pflag.NewFlagSet("apiserver", pflag.ContinueOnError)
	addFlags(flags, &config)
	logs.addFlags(flags)
	if err := flags.Parse(args); err != nil {
		return config, fmt.Errorf("flags of the Gardener API server: %w", err)
	}
	var err error
	config.Log, err = logs.logger()
	return config, err
}

func runUntil(ctx context.Context, server *Server) error {
	if err := server.Start(ctx); err != nil {
		return err
	}
	select {
	case <-server.Done():
		return server.Err()
	case <-ctx.Done():
		stopping, cancel := context.WithTimeout(context.Background(), stopTimeout)
		defer cancel()
		return server.Stop(stopping)
	}
}

// addFlags adds the flags, under the names that all API servers use.
func addFlags(fs *pflag.FlagSet, c *Config) {
	var authentication, authorization, admissionKubeconfig string
	fs.StringVar(&c.BindAddress, "bind-address", c.BindAddress, "IP address to listen on")
	fs.IntVar(&c.Port, "secure-port", 8443, "port to serve HTTPS on")
	fs.StringVar(&c.CertFile, "tls-cert-file", "", "certificate to serve with, and the chain after it")
	fs.StringVar(&c.KeyFile, "tls-private-key-file", "", "key of the certificate")
	fs.StringSliceVar(&c.EtcdServers, "etcd-servers", nil, "URLs of etcd servers")
	fs.StringVar(&c.EtcdCAFile, "etcd-cafile", "", "CA of etcd")
	fs.StringVar(&c.EtcdCertFile, "etcd-certfile", "", "client certificate for etcd")
	fs.StringVar(&c.EtcdKeyFile, "etcd-keyfile", "", "key of the client certificate for etcd")
	fs.StringVar(&c.EtcdPrefix, "etcd-prefix", c.EtcdPrefix, "prefix of all keys in etcd")
	fs.StringVar(&c.StorageMediaType, "storage-media-type", c.StorageMediaType, "media type of what is written to etcd")
	fs.StringVar(&c.EncryptionConfigFile, "encryption-provider-config", "", "file with an EncryptionConfiguration")
	fs.StringSliceVar(&c.WatchCacheSizes, "watch-cache-sizes", nil, "resource.group#0 to switch the watch cache of a resource off")
	fs.StringVar(&c.AuditPolicyFile, "audit-policy-file", "", "file with the audit policy")
	fs.StringVar(&c.AuditLogFile, "audit-log-path", "", "file for the audit log; - is standard output")
	fs.StringVar(&c.AuditWebhookFile, "audit-webhook-config-file", "", "kubeconfig of who gets the audit's events")
	fs.IntVar(&c.MaxRequestsInFlight, "max-requests-inflight", c.MaxRequestsInFlight, "reading requests served at once")
	fs.IntVar(&c.MaxMutatingRequestsInFlight, "max-mutating-requests-inflight", c.MaxMutatingRequestsInFlight, "writing requests served at once")
	fs.IntVar(&c.MaxRequestsPerUser, "max-requests-inflight-per-user", 0, "requests of one user served at once, or of all service accounts of a namespace; 0 is no limit")
	fs.IntVar(&c.MaxWatchesPerUser, "max-watches-per-user", 0, "watches of one user; 0 is no limit")
	fs.BoolFunc("enable-priority-and-fairness", "share out the sum of both maxima by the garden's FlowSchemas (default true)", func(value string) error {
		enable, err := strconv.ParseBool(value)
		c.NoFairness = !enable
		return err
	})
	fs.StringVar(&c.Kubeconfig, "kubeconfig", "", "kubeconfig of the garden")
	for name, value := range map[string]*string{"authentication-kubeconfig": &authentication, "authorization-kubeconfig": &authorization, "admission-kubeconfig": &admissionKubeconfig} {
		fs.Var(sameKubeconfig{&c.Kubeconfig, value}, name, "the same as --kubeconfig: one connection serves all purposes")
	}
	fs.StringVar(&c.ClientCAFile, "client-ca-file", "", "CA of client certificates; looked up in the garden if empty")
	fs.StringVar(&c.RequestHeader.CAFile, "requestheader-client-ca-file", "", "CA of proxies that tell users in headers; looked up in the garden if empty")
	fs.StringSliceVar(&c.RequestHeader.AllowedNames, "requestheader-allowed-names", nil, "common names of such proxies; all if empty")
	fs.StringSliceVar(&c.ReservedDomains, "reserved-domains", nil, "domains that no shoot may use, such as that of the garden")
	fs.StringVar(&c.ClusterIdentity, "cluster-identity", "", "identity of the garden; required")
	fs.DurationVar(&c.AdminKubeconfigMaxExpiration, "shoot-admin-kubeconfig-max-expiration", c.AdminKubeconfigMaxExpiration, "longest validity of kubeconfigs of administrators")
	fs.DurationVar(&c.ViewerKubeconfigMaxExpiration, "shoot-viewer-kubeconfig-max-expiration", c.ViewerKubeconfigMaxExpiration, "longest validity of kubeconfigs of viewers")
	fs.DurationVar(&c.CredentialsRotationInterval, "shoot-credentials-rotation-interval", c.CredentialsRotationInterval, "age of credentials from which users are warned")
	fs.DurationVar(&c.BastionTTL, "bastion-ttl", c.BastionTTL, "life of a bastion that is not kept alive")
	fs.StringVar(&c.WorkloadIdentity.KeyFile, "workload-identity-token-signing-key-file", "", "key that signs tokens of WorkloadIdentities; without it there are none")
	fs.StringVar(&c.WorkloadIdentity.Issuer, "workload-identity-token-issuer", "", "URL of the issuer of these tokens")
	fs.DurationVar(&c.WorkloadIdentity.MinExpiration, "workload-identity-token-min-expiration", c.WorkloadIdentity.MinExpiration, "shortest life of these tokens")
	fs.DurationVar(&c.WorkloadIdentity.MaxExpiration, "workload-identity-token-max-expiration", c.WorkloadIdentity.MaxExpiration, "longest life of these tokens")
	fs.StringVar(&c.FrontDoorAddress, "front-door-address", "", "host:port that kubeconfigs of shoots name instead of advertised addresses")
	fs.StringSliceVar(&c.EnableAdmissionPlugins, "enable-admission-plugins", nil, "plugins to enable besides the default ones, of: "+strings.Join(admission.Names(), ", "))
	fs.StringSliceVar(&c.DisableAdmissionPlugins, "disable-admission-plugins", nil, "plugins to disable")
	fs.StringVar(&c.AdmissionConfigFile, "admission-control-config-file", "", "file with an AdmissionConfiguration")
	fs.Var(cliflag.NewMapStringBool(&c.FeatureGates), "feature-gates", "name=true|false, of: "+features())
}

// sameKubeconfig accepts the separate kubeconfig flags of other API servers, as long as all name the same file.
type sameKubeconfig struct {
	kubeconfig, own *string
}

func (s sameKubeconfig) String() string {
	if s.own == nil {
		return ""
	}
	return *s.own
}
func (s sameKubeconfig) Type() string { return "string" }
func (s sameKubeconfig) Set(value string) error {
	if *s.kubeconfig != "" && *s.kubeconfig != value {
		return fmt.Errorf("differs from another kubeconfig flag with %q", *s.kubeconfig)
	}
	*s.own, *s.kubeconfig = value, value
	return nil
}

// logOptions are the level and the format of logs.
type logOptions struct {
	level, format string
}

func (o *logOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.level, "log-level", "info", "debug, info or error")
	fs.StringVar(&o.format, "log-format", "json", "json or text")
}

func (o *logOptions) logger() (log logr.Logger, err error) {
	config := zap.NewProductionConfig()
	config.Sampling = nil
	if config.Level, err = zap.ParseAtomicLevel(o.level); err != nil {
		return log, fmt.Errorf("--log-level: %w", err)
	}
	formats := map[string]string{"json": "json", "text": "console"}
	if config.Encoding = formats[o.format]; config.Encoding == "" {
		return log, fmt.Errorf("--log-format: %q is neither json nor text", o.format)
	}
	zapLog, err := config.Build()
	if err != nil {
		return log, err
	}
	return zapr.NewLogger(zapLog), nil
}
