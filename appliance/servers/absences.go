package servers

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/asleep"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	"github.com/gardener-up/gardener-up/embedded/frontdoor"
)

// absencePeriod is how long it stays known whether a shoot sleeps, so that nobody burdens the seed with connections.
const absencePeriod = 3 * time.Second

// absences know which API servers of shoots do not run because the shoots sleep.
type absences struct {
	seed client.Reader
	log  logr.Logger

	mu    sync.Mutex
	known map[string]absence // by namespace in the seed
}

type absence struct {
	frontdoor.Absence
	asleep bool
	until  time.Time
}

func newAbsences(seed *rest.Config, log logr.Logger) (*absences, error) {
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		return nil, err
	}
	reader, err := client.New(seed, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("make client: %w", err)
	}
	return &absences{seed: reader, log: log, known: map[string]absence{}}, nil
}

// of implements frontdoor.Config.Absent. One connection after the other asks the seed.
func (a *absences) of(ctx context.Context, destination frontdoor.Destination) (frontdoor.Absence, bool) {
	labels := strings.Split(destination.Host, ".") // <service>.<namespace>.svc…
	if len(labels) < 3 || labels[0] != constants.DeploymentNameKubeAPIServer {
		return frontdoor.Absence{}, false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	for namespace, known := range a.known {
		if now.After(known.until) {
			delete(a.known, namespace)
		}
	}
	found, ok := a.known[labels[1]]
	if !ok {
		found = a.ask(ctx, labels[1])
		found.until = now.Add(absencePeriod)
		a.known[labels[1]] = found
	}
	return found.Absence, found.asleep
}

func (a *absences) ask(ctx context.Context, namespace string) absence {
	ctx, cancel := context.WithTimeout(ctx, absencePeriod)
	defer cancel()
	server, err := asleep.Find(ctx, a.seed, namespace)
	if err != nil {
		a.log.Info("It is not known whether a shoot sleeps", "namespace", namespace, "reason", err.Error())
	}
	if err != nil || server == nil {
		return absence{}
	}
	reason := fmt.Sprintf(`shoot %[1]s is hibernated: wake it up with "gardener shoot wake %[1]s", or set spec.hibernation.enabled of the Shoot to false`, server.Shoot)
	return absence{Absence: frontdoor.Absence{Certificate: server.Certificate, Reason: reason}, asleep: true}
}
