package app

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"runtime"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/component-base/version"

	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/preflight"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/appliance/supportbundle"
	"github.com/gardener-up/gardener-up/appliance/supportbundle/redact"
)

// secretsPatience is how long reading all Secrets of a cluster may take.
const secretsPatience = time.Minute

// secretsOf begins the names of what has secrets that must be known.
const secretsOf = "secrets of "

// supportSources is where a support bundle takes its content from.
type supportSources struct {
	*landscape
	seeds    []string // further seeds with a directory
	clusters []supportbundle.Cluster
	failed   []failedSource
}

// failedSource is something that could not be read.
type failedSource struct {
	name string
	err  error
}

func (s *supportSources) note(name string, err error) {
	if err != nil {
		s.failed = append(s.failed, failedSource{name, err})
	}
}

func (s *supportSources) missing(redactor *redact.Redactor) []supportbundle.Missing {
	var all []supportbundle.Missing
	for _, one := range s.failed {
		all = append(all, supportbundle.Missing{Name: one.name, Why: redactor.Text(one.err.Error())})
	}
	return all
}

// findClusters lists the clusters of a running landscape.
func (s *supportSources) findClusters() {
	if pid, err := daemon.Holder(s.paths.Lock()); err != nil || pid == 0 {
		err = errors.Join(err, errors.New("the landscape is not running"))
		s.note("objects and logs of pods", err)
		s.note(secretsOf+"all clusters", err)
		return
	}
	s.clusters = []supportbundle.Cluster{{Name: "garden", Garden: true, Config: func(ctx context.Context) (*rest.Config, error) { return s.gardenConfig(ctx, answersTimeout) }}}
	for _, name := range append([]string{s.Seed.Name}, s.seeds...) {
		s.clusters = append(s.clusters, supportbundle.Cluster{Name: name, Config: func(ctx context.Context) (*rest.Config, error) {
			_, config, err := s.seed(ctx, name)
			return config, err
		}})
	}
}

// redactor knows the secrets of all files and clusters. Where they cannot be read, it still recognises what looks like a secret, and the
// bundle says so.
func (s *supportSources) redactor(ctx context.Context) (*redact.Redactor, int) {
	known := redact.NewKnown()
	s.note(secretsOf+"files", supportbundle.KnowFiles(known, s.paths))
	for _, seed := range s.seeds {
		s.note(secretsOf+"files of seed "+seed, supportbundle.KnowFiles(known, s.paths.Seed(seed)))
	}
	if audit := s.Garden.Audit; audit != nil && audit.WebhookFile != "" {
		s.note(secretsOf+"the kubeconfig of the audit webhook", supportbundle.KnowFile(known, audit.WebhookFile))
	}
	for _, cluster := range s.clusters {
		limited, cancel := context.WithTimeout(ctx, secretsPatience)
		s.note(secretsOf+cluster.Name, supportbundle.KnowCluster(limited, known, cluster))
		cancel()
	}
	return redact.New(known), known.Len()
}

func (s *supportSources) savedConfig(context.Context) (any, error) {
	saved, err := state.SavedConfig(s.paths)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, supportbundle.ErrNothing
	}
	return saved, err
}

// sections are the files of the bundle.
func (s *supportSources) sections(ctx context.Context, logSize int64) []supportbundle.Section {
	sections := []supportbundle.Section{
		supportbundle.JSON("versions.json", func(context.Context) (any, error) {
			return versions{Gardener: Version, Kubernetes: version.Get().GitVersion, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}, nil
		}),
		supportbundle.JSON("configuration.json", func(context.Context) (any, error) { return s.Landscape, nil }),
		supportbundle.JSON("configuration-of-last-start.json", s.savedConfig),
		supportbundle.JSON("doctor.json", func(ctx context.Context) (any, error) { return preflight.Examine(ctx, s.Landscape, s.paths), nil }),
		supportbundle.Machine(s.paths),
		supportbundle.Files(s.paths),
	}
	sections = append(sections, supportbundle.Logs(s.paths, s.seeds, logSize)...)
	if len(s.clusters) == 0 {
		return sections
	}
	sections = append(sections,
		supportbundle.JSON("status.json", func(ctx context.Context) (any, error) { return collectStatus(ctx, s.landscape, answersTimeout) }),
		supportbundle.Section{Name: "goroutines.txt", Collect: func(ctx context.Context, w io.Writer) error {
			return daemon.NewClient(s.paths.Run().Socket()).Stacks(ctx, w)
		}})
	for _, cluster := range s.clusters {
		sections = append(sections, cluster.Objects()...)
		if cluster.Garden {
			continue
		}
		logs, err := cluster.PodLogs(ctx)
		s.note("logs of pods of seed "+cluster.Name, err)
		sections = append(sections, logs...)
	}
	return sections
}
