package snapshotter

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"github.com/robfig/cron/v3"
	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/utils/clock"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/known"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/retention"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/store"
)

// Config of a Snapshotter. Schedules and periods that are not set mean never.
type Config struct {
	// Client dials one member only: the one that is backed up.
	Client *clientv3.Client
	// Endpoint of the member.
	Endpoint string
	// Store is nil for an etcd without backups, which is only defragmented.
	Store *store.Store
	// Suffix names the compression; see package compression.
	Suffix string
	// SpoolDir is the directory for changes until the next delta. It is created if needed.
	SpoolDir string
	// Known notes in the data of the member which snapshots they contain. It is empty for an etcd of several members: each of them may lead, and only
	// revisions tell then whether data were put back.
	Known known.Note

	Full, Defragmentation cron.Schedule
	// DeltaPeriod is the time between deltas. DeltaLimit is the number of bytes of changes after which a delta is made earlier.
	DeltaPeriod time.Duration
	DeltaLimit  int64
	// Timeout bounds one snapshot, DefragmentationTimeout one defragmentation.
	Timeout, DefragmentationTimeout time.Duration

	// Quota is how many bytes the database may have; 0 if it has no limit. It bounds the deltas after a full snapshot.
	Quota int64

	// Retention says which snapshots are deleted, after each RetentionPeriod and after each full snapshot.
	Retention       retention.Policy
	RetentionPeriod time.Duration

	// Leads reports whether the member is the one that makes backups.
	Leads func() bool
	// Clock tells when something is due; nil means the real one.
	Clock clock.WithTicker
	Log   logr.Logger
}

// Snapshotter backs up one member. Run does the work.
type Snapshotter struct {
	config   Config
	requests chan request

	// inData is the note in the data of the member.
	inData note

	mu    sync.Mutex
	state State
}

// State is the state of a Snapshotter's work.
type State struct {
	// LastFull and LastDelta are the newest snapshots, nil if there are none.
	LastFull, LastDelta *snapshot.Snapshot
	// Latest is the time up to which all changes are backed up.
	Latest time.Time
	// Err is the error of the last attempt, nil if it succeeded.
	Err error
}

type request struct {
	kind   snapshot.Kind
	final  bool
	answer chan answer
}

type answer struct {
	snapshot *snapshot.Snapshot
	err      error
}

// New returns a Snapshotter.
func New(config Config) *Snapshotter {
	if config.Clock == nil {
		config.Clock = clock.RealClock{}
	}
	return &Snapshotter{config: config, requests: make(chan request)}
}

// State returns the current state.
func (s *Snapshotter) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

func (s *Snapshotter) note(change func(*State)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.state)
}

// ErrNoBackups is the error of a request if the etcd has no store, or if another member makes the backups.
var ErrNoBackups = errors.New("this member makes no backups")

// Take makes a snapshot of all changes that were acknowledged before the call. A delta without changes is nil.
func (s *Snapshotter) Take(ctx context.Context, kind snapshot.Kind, final bool) (*snapshot.Snapshot, error) {
	if s.config.Store == nil || !s.config.Leads() {
		return nil, ErrNoBackups
	}
	r := request{kind: kind, final: final, answer: make(chan answer, 1)}
	select {
	case s.requests <- r:
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), s.State().Err)
	}
	select {
	case a := <-r.answer:
		return a.snapshot, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// TakeFinal takes a final full snapshot without Run, of an etcd that nobody writes to any longer.
func (s *Snapshotter) TakeFinal(ctx context.Context) (*snapshot.Snapshot, error) {
	ctx, cancel := context.WithCancel(ctx) // ends the watch that follows a snapshot
	defer cancel()
	all, err := s.config.Store.List(ctx)
	if err != nil {
		return nil, err
	}
	s.remember(all)
	last := &session{Snapshotter: s}
	if _, err := last.follow(ctx, all); err != nil {
		return nil, err
	}
	return last.full(ctx, true)
}

// Revision is that of the last acknowledged write.
func (s *Snapshotter) Revision(ctx context.Context) (int64, error) {
	return (&session{Snapshotter: s}).revision(ctx)
}
