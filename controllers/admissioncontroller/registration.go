package admissioncontroller

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/embedded/webhook"
)

// Name is the name of the component, its user agent and its webhook configurations.
const Name = "gardener-admission-controller"

// Intervals between registrations: they restore what somebody changed, and follow a new certificate.
const (
	registrationInterval = 5 * time.Minute
	registrationRetry    = time.Second
)

// everywhere runs in each replica, since API servers may ask any.
type everywhere struct{ manager.Runnable }

// NeedLeaderElection implements manager.LeaderElectionRunnable.
func (everywhere) NeedLeaderElection() bool { return false }

// registration makes the API servers call the hooks.
type registration struct {
	name   string // of the webhook configurations
	target client.Client
	hooks  []webhook.Hook
	reach  func() (admissionregistrationv1.WebhookClientConfig, error)
	done   atomic.Bool
}

// Start registers until ctx ends.
func (r *registration) Start(ctx context.Context) error {
	for {
		wait := registrationInterval
		if err := r.register(ctx); err != nil {
			log.FromContext(ctx).Info("Webhooks are not registered yet", "name", r.name, "reason", err.Error())
			wait = registrationRetry
		} else {
			r.done.Store(true)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
	}
}

func (r *registration) ready() error {
	if !r.done.Load() {
		return errors.New("the webhooks are not registered yet")
	}
	return nil
}

func (r *registration) register(ctx context.Context) error {
	at, err := r.reach()
	if err != nil {
		return err
	}
	return webhook.Register(ctx, r.target, r.name, r.hooks, func(path string) admissionregistrationv1.WebhookClientConfig {
		reached := *at.DeepCopy()
		if reached.Service != nil {
			reached.Service.Path = &path
		} else {
			url := *reached.URL + path
			reached.URL = &url
		}
		return reached
	})
}
