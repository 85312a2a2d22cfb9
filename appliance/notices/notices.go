// Package notices reports the state of the landscape's parts to the operators of a garden: by events on the first Seed, and by the
// condition StorageAvailable of that Seed. The command "gardener status" shows the same.
package notices

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/component"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

const (
	interval       = 10 * time.Second // between two looks at the condition, which others may replace
	retryInterval  = 2 * time.Second
	requestTimeout = 5 * time.Second
	maxPending     = 100 // events that wait while the garden does not serve
)

// Reasons of events.
const (
	ReasonDegraded  = "PartDegraded"
	ReasonAttention = "PartNeedsAttention"
	ReasonServes    = "PartServesAgain"
)

// Notices is a component that runs as long as the landscape. Create it with New.
type Notices struct {
	seed   string
	garden func() (client.Client, error)
	log    logr.Logger
	wake   chan struct{}

	mu      sync.Mutex
	storage storage
	ailing  map[string]component.Status // parts about which there was an event
	pending []corev1.Event
}

// New returns notices about the parts of a landscape. etcds are the names of its etcds.
func New(seed string, etcds []string, garden func() (client.Client, error), log logr.Logger) *Notices {
	n := &Notices{seed: seed, garden: garden, log: log, wake: make(chan struct{}, 1), storage: storage{}, ailing: map[string]component.Status{}}
	for _, name := range etcds {
		n.storage[name] = component.Status{}
	}
	return n
}

// Observe notes the status of a part. It does not block.
func (n *Notices) Observe(status component.Status) {
	n.mu.Lock()
	defer n.mu.Unlock()
	stores := n.storage.note(status)
	event, worth := n.event(status)
	if worth && len(n.pending) < maxPending {
		n.pending = append(n.pending, event)
	}
	if worth || stores {
		select {
		case n.wake <- struct{}{}:
		default:
		}
	}
}

// event is the event about a change, if it is worth one. The lock is held.
func (n *Notices) event(status component.Status) (event corev1.Event, worth bool) {
	before, ailed := n.ailing[status.Name]
	switch {
	case !status.Serves():
		n.ailing[status.Name] = status
		if ailed && !before.Serves() {
			return event, false
		}
		return n.make(status.Name, corev1.EventTypeWarning, ReasonDegraded, status.Message), true
	case status.Warning != "":
		n.ailing[status.Name] = status
		if ailed && before.Warning != "" { // the number alone is no news
			return event, false
		}
		return n.make(status.Name, corev1.EventTypeWarning, ReasonAttention, status.Warning), true
	case ailed && status.State == component.Ready:
		delete(n.ailing, status.Name)
		return n.make(status.Name, corev1.EventTypeNormal, ReasonServes, "the part serves again"), true
	}
	return event, false
}

func (n *Notices) make(part, kind, reason, message string) corev1.Event {
	now := metav1.Now()
	return corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, GenerateName: n.seed + "."}, // where those of objects without a namespace are
		InvolvedObject: corev1.ObjectReference{APIVersion: gardencorev1beta1.SchemeGroupVersion.String(), Kind: "Seed", Name: n.seed},
		Type:           kind, Reason: reason, Message: part + ": " + message, Count: 1, FirstTimestamp: now, LastTimestamp: now,
		Source: corev1.EventSource{Component: "gardener-appliance"},
	}
}

// Run sends notices until ctx ends. A notice that cannot be sent is kept and sent again later.
func (n *Notices) Run(ctx context.Context) error {
	for pause := interval; ; {
		select {
		case <-ctx.Done():
			return nil
		case <-n.wake:
		case <-time.After(pause):
		}
		pause = interval
		if err := n.tell(ctx); err != nil && ctx.Err() == nil {
			pause = retryInterval
			n.log.V(1).Info("Notices wait for the garden", "reason", err.Error())
		}
	}
}

func (n *Notices) tell(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	garden, err := n.garden()
	if err != nil {
		return err
	}
	seed := &gardencorev1beta1.Seed{}
	if err := garden.Get(ctx, types.NamespacedName{Name: n.seed}, seed); err != nil {
		return client.IgnoreNotFound(err) // it is not registered yet
	}
	return errors.Join(n.tellEvents(ctx, garden, seed.UID), n.tellStorage(ctx, garden, seed))
}

func (n *Notices) tellStorage(ctx context.Context, garden client.Client, seed *gardencorev1beta1.Seed) error {
	n.mu.Lock()
	condition, known := n.storage.condition()
	n.mu.Unlock()
	if !known {
		return nil
	}
	return tellCondition(ctx, garden, seed, condition)
}

func (n *Notices) tellEvents(ctx context.Context, garden client.Client, seed types.UID) error {
	for {
		n.mu.Lock()
		if len(n.pending) == 0 {
			n.mu.Unlock()
			return nil
		}
		event := n.pending[0]
		n.mu.Unlock()
		event.InvolvedObject.UID = seed
		if err := garden.Create(ctx, &event); err != nil {
			return fmt.Errorf("write event: %w", err)
		}
		n.mu.Lock()
		n.pending = n.pending[1:]
		n.mu.Unlock()
	}
}
