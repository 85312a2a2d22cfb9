package backuprestore

import (
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/robfig/cron/v3"
	"github.com/spf13/cobra"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/compression"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/leases"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/member"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/owner"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/retention"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshotter"
	"github.com/gardener-up/gardener-up/embedded/etcd"
	"github.com/gardener-up/gardener-up/embedded/etcd/configfile"
	"github.com/gardener-up/gardener-up/embedded/etcd/ownflags"
	"github.com/gardener-up/gardener-up/embedded/guardeddial"
	"github.com/gardener-up/gardener-up/embedded/incluster"
)

// serveFlags are the flags of serve that need a conversion.
type serveFlags struct {
	guard                             guard
	config                            member.Config
	full, defragmentation, compressed string
	etcd                              string // its name, for Leases
	file, sum                         string // flags of etcd that come before those of the command line
	watchdog                          bool
	ownerTTL                          time.Duration
	ownerServer                       string
}

func serveCommand(apply func(guardeddial.Rules) error) *cobra.Command {
	f := &serveFlags{guard: guard{process: apply}}
	cmd := &cobra.Command{
		Use:   "serve [flags] -- [etcd's own flags]",
		Short: "Run a member of an etcd with backups",
		Long: `Run a member of an etcd with backups. The data are examined before etcd starts. They are restored from
the store if they are lost or damaged, also partly. Without a store, damaged data are set aside and the etcd starts empty.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			common, err := f.common()
			if err != nil {
				cmd.SilenceUsage = true
				return err
			}
			args = append(common, args...)
			f.config.Etcd = args
			if err := f.complete(); err != nil {
				return err
			}
			cmd.SilenceUsage = true
			if f.watchdog {
				f.config.Beside = func() { etcd.Tend(args, f.config.Log.WithName("watchdog")) }
			}
			if err := f.guard.apply(f.config.Store); err != nil {
				return err
			}
			return member.Run(cmd.Context(), f.config)
		},
	}
	f.add(cmd)
	return cmd
}

// Defaults of flags. They are Gardener's defaults.
const (
	defaultDeltaPeriod     = 5 * time.Minute
	defaultDeltaLimit      = 100 << 20
	defaultTimeout         = 15 * time.Minute
	defaultDefragTimeout   = 8 * time.Minute
	defaultRetentionPeriod = 12 * time.Hour
	defaultOwnerInterval   = 30 * time.Second
	defaultOwnerTimeout    = 2 * time.Minute
)

func (f *serveFlags) add(cmd *cobra.Command) {
	f.guard.add(cmd)
	addStore(cmd, &f.config.Store, "")
	addSourceKeys(cmd, &f.config.Store)
	flags, c := cmd.Flags(), &f.config
	flags.StringVar(&c.Client.CA, "client-ca", "", "file of the CA of etcd; no TLS if empty")
	flags.StringVar(&c.Client.Cert, "client-cert", "", "file of the certificate to speak with etcd")
	flags.StringVar(&c.Client.Key, "client-key", "", "file of its key")
	flags.StringVar(&c.Server.Address, "listen", "", "address to serve the state of backups; none if empty")
	flags.StringVar(&c.Server.CA, "server-ca", "", "file of the CA of clients of the backup server")
	flags.StringVar(&c.Server.Cert, "server-cert", "", "file of its certificate; no TLS if empty")
	flags.StringVar(&c.Server.Key, "server-key", "", "file of its key")
	flags.BoolVar(&c.Server.Profiles, "profiling", false, "serve profiles of the process at /debug/pprof/ of the backup server")
	flags.DurationVar(&c.Leader.Period, "leader-check-period", member.LongestPeriod, "time between two looks at who leads: the leader makes the backups")
	flags.DurationVar(&c.Leader.Timeout, "leader-check-timeout", member.DefaultTimeout, "time limit for a look")
	flags.StringVar(&f.etcd, "etcd", "", "name of the Etcd, to report to its Leases; no reports if empty")
	flags.StringVar(&f.file, "etcd-config", "", "file in etcd's own format of configuration, before etcd's own flags; none if empty")
	flags.StringVar(&f.sum, "etcd-config-sum", "", "SHA-256 that the file must have")
	flags.BoolVar(&f.watchdog, "watchdog", false, "compact and defragment the database when it fills, and tell API servers when the disk of the data is short of room")
	flags.StringVar(&f.full, "full-schedule", "", "cron expression for full snapshots")
	flags.StringVar(&f.defragmentation, "defragmentation-schedule", "", "cron expression for defragmentation")
	flags.StringVar(&f.compressed, "compression", "gzip", "gzip, zlib, lzw, zstd or none")
	flags.StringVar(&c.Owner.Name, "owner-name", "", "name of the TXT record that names the owner of the etcd, which runs for this owner only; no checks if empty")
	flags.StringVar(&c.Owner.ID, "owner-id", "", "the owner that the record has to name")
	flags.DurationVar(&c.Owner.Interval, "owner-check-interval", defaultOwnerInterval, "time between two checks of the owner")
	flags.DurationVar(&c.Owner.Timeout, "owner-check-timeout", defaultOwnerTimeout, "time after which an owner that cannot be found out is lost")
	flags.StringVar(&f.ownerServer, "owner-server", "", "host:port of the name server that is asked for the owner over TCP, which may rest: until it answers again, its last answer counts; those of the system if empty, which must answer")
	flags.DurationVar(&f.ownerTTL, "owner-check-dns-cache-ttl", 0, "time for which an answer about the owner is used again; every check asks if 0, and with --owner-server")
	b := &c.Backups
	flags.DurationVar(&b.DeltaPeriod, "delta-period", defaultDeltaPeriod, "time between delta snapshots")
	flags.Int64Var(&b.DeltaLimit, "delta-limit", defaultDeltaLimit, "bytes of changes after which a delta snapshot is made early")
	flags.DurationVar(&b.Timeout, "snapshot-timeout", defaultTimeout, "time limit for one snapshot")
	flags.DurationVar(&b.DefragmentationTimeout, "defragmentation-timeout", defaultDefragTimeout, "time limit for one defragmentation")
	flags.StringVar(&b.Retention.Name, "retention", retention.Exponential, "which snapshots are kept: Exponential or LimitBased")
	flags.IntVar(&b.Retention.Limit, "retention-limit", retention.DefaultLimit, "full snapshots that LimitBased keeps")
	flags.DurationVar(&b.Retention.DeltaPeriod, "retention-deltas", 0, "time for which delta snapshots are kept at least")
	flags.Int64Var(&b.Retention.Bytes, "retention-bytes", 0, "bytes that all snapshots may have together, before the oldest ones are deleted early; twice the quota of the database if 0")
	flags.DurationVar(&b.RetentionPeriod, "retention-period", defaultRetentionPeriod, "time between two deletions of old snapshots")
}

// common are the flags that the file sets.
func (f *serveFlags) common() (ownflags.Flags, error) {
	if f.file == "" {
		return nil, nil
	}
	return configfile.Read(f.file, f.sum)
}

func (f *serveFlags) complete() error {
	c := &f.config
	c.Log = ctrllog.Log.WithName(Component)
	c.Server.Log, c.Server.Flags = c.Log, c.Etcd
	c.Owner.Clock = clock.RealClock{}
	resolver := owner.Resolver(net.DefaultResolver)
	if f.ownerServer != "" {
		resolver, c.Owner.Keep = owner.At(f.ownerServer), true
	}
	if !c.Owner.Keep { // else an answer from before a note of another member would count as newer than that
		resolver = owner.Cached(resolver, f.ownerTTL, c.Owner.Clock)
	}
	c.Owner.Resolver = resolver
	registry := prometheus.NewRegistry()
	snapshotter.RegisterMetrics(registry)
	member.RegisterMetrics(registry)
	c.Server.Metrics = registry
	var errs []error
	schedule := func(flag, text string) cron.Schedule {
		if text == "" {
			return nil
		}
		parsed, err := cron.ParseStandard(text)
		if err != nil {
			errs = append(errs, fmt.Errorf("--%s %q: %w", flag, text, err))
		}
		return parsed
	}
	c.Backups.Full = schedule("full-schedule", f.full)
	c.Backups.Defragmentation = schedule("defragmentation-schedule", f.defragmentation)
	var err error
	c.Backups.Suffix, err = compression.Suffix(f.compressed)
	errs = append(errs, err)
	if name := c.Backups.Retention.Name; name != retention.Exponential && name != retention.LimitBased {
		errs = append(errs, fmt.Errorf("--retention %q: use %s or %s", name, retention.Exponential, retention.LimitBased))
	}
	errs = append(errs, c.Owner.Validate())
	if c.Backups.DeltaPeriod <= 0 || c.Backups.DeltaLimit <= 0 {
		errs = append(errs, errors.New("--delta-period and --delta-limit must be above 0"))
	}
	if f.etcd != "" {
		config, namespace, err := incluster.Config()
		if err == nil {
			c.Leases, err = leases.New(rest.AddUserAgent(config, Component), namespace, ownflags.Flags(c.Etcd).Name(), f.etcd)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
