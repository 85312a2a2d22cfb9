// Package bastion stores bastions.
package bastion

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"

	operations "github.com/gardener-up/gardener-up/embedded/apis/operations/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/internal/cells"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

// Definition of the kind Bastion.
func Definition(rules Rules) resource.Definition[*operations.Bastion] {
	return resource.Definition[*operations.Bastion]{
		GroupVersion: operations.SchemeGroupVersion,
		Kind:         "Bastion",
		Plural:       "bastions",
		Singular:     "bastion",
		Categories:   []string{"all"},
		New:          func() *operations.Bastion { return &operations.Bastion{} },
		NewList:      func() runtime.Object { return &operations.BastionList{} },
		Strategy:     rules.strategy(),
		Columns: []resource.Column[*operations.Bastion]{
			{Name: "Shoot", Description: "shoot of the bastion", Value: func(b *operations.Bastion) any { return b.Spec.ShootRef.Name }},
			{Name: "Seed", Description: "seed of the shoot", Value: func(b *operations.Bastion) any { return cells.String(b.Spec.SeedName) }},
			{Name: "IP", Description: "host name or address", Empty: cells.Pending, Value: func(b *operations.Bastion) any { return address(b) }},
			{Name: "Heartbeat", Description: "time since it was last kept alive", Empty: cells.Never, Value: func(b *operations.Bastion) any { return heartbeat(b, time.Now()) }},
			{Name: "Expires", Description: "time until it goes", Empty: cells.Pending, Value: func(b *operations.Bastion) any { return expires(b, time.Now()) }},
		},
		Fields: map[string]func(*operations.Bastion) string{
			"spec.seedName":      func(b *operations.Bastion) string { return cells.String(b.Spec.SeedName) },
			"spec.shootRef.name": func(b *operations.Bastion) string { return b.Spec.ShootRef.Name },
		},
	}
}

func address(b *operations.Bastion) string {
	switch ingress := b.Status.Ingress; {
	case ingress == nil:
		return ""
	case ingress.Hostname != "":
		return ingress.Hostname
	default:
		return ingress.IP
	}
}

func heartbeat(b *operations.Bastion, now time.Time) string {
	if b.Status.LastHeartbeatTimestamp == nil {
		return ""
	}
	return duration.HumanDuration(now.Sub(b.Status.LastHeartbeatTimestamp.Time)) + " ago"
}

func expires(b *operations.Bastion, now time.Time) string {
	switch end := b.Status.ExpirationTimestamp; {
	case end == nil:
		return ""
	case end.Time.Before(now):
		return "<expired>"
	default:
		return duration.HumanDuration(end.Sub(now))
	}
}
