package servers

import (
	"context"
	"fmt"
	"net"
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

// absencePeriod is how long the answer whether a shoot sleeps is kept, so that connections do not burden the seed.
const absencePeriod = 3 * time.Second

// absences know which API servers of shoots do not run because the shoots sleep.
type absences struct {
	seed   client.Reader
	choice string // of the landscape, see NetworkInputs
	log    logr.Logger

	mu    sync.Mutex
	known map[string]absence // by namespace in the seed
}

type absence struct {
	frontdoor.Absence
	asleep bool
	until  time.Time
}

func newAbsences(seed *rest.Config, choice string, log logr.Logger) (*absences, error) {
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		return nil, err
	}
	reader, err := client.New(seed, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("make client: %w", err)
	}
	return &absences{seed: reader, choice: choice, log: log, known: map[string]absence{}}, nil
}

// of implements frontdoor.Config.Absent. One connection after the other asks the seed.
func (a *absences) of(ctx context.Context, destination frontdoor.Destination) (frontdoor.Absence, bool) {
	labels := strings.Split(destination.Host, ".") // <service>.<namespace>.svc…
	if len(labels) < 3 {
		return frontdoor.Absence{}, false
	}
	return a.ofService(ctx, labels[1], labels[0])
}

// behind implements serviceproxy.Config.Absent.
func (a *absences) behind(ctx context.Context, namespace, service string) (func(*net.TCPConn), bool) {
	found, ok := a.ofService(ctx, namespace, service)
	return func(conn *net.TCPConn) { found.Answer(conn, nil) }, ok
}

func (a *absences) ofService(ctx context.Context, namespace, service string) (frontdoor.Absence, bool) {
	if service != constants.DeploymentNameKubeAPIServer {
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
	found, ok := a.known[namespace]
	if !ok {
		found = a.ask(ctx, namespace)
		found.until = now.Add(absencePeriod)
		a.known[namespace] = found
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
	reason := fmt.Sprintf(`shoot %[1]s is hibernated: wake it up with "gardener shoot wake %[1]s%[2]s", or set spec.hibernation.enabled of the Shoot to false`, server.Shoot, a.choice)
	return absence{Absence: frontdoor.Absence{Certificate: server.Certificate, Reason: reason}, asleep: true}
}
