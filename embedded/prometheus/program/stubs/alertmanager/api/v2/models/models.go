// Package models takes the place of the API of an Alertmanager: what Prometheus sends.
package models

import "github.com/go-openapi/strfmt"

// LabelSet are labels.
type LabelSet map[string]string

// Alert is the part of an alert that identifies it.
type Alert struct {
	GeneratorURL strfmt.URI `json:"generatorURL,omitempty"`
	Labels       LabelSet   `json:"labels"`
}

// PostableAlert is an alert that is sent.
type PostableAlert struct {
	Annotations LabelSet        `json:"annotations,omitempty"`
	EndsAt      strfmt.DateTime `json:"endsAt,omitempty"`
	StartsAt    strfmt.DateTime `json:"startsAt,omitempty"`
	Alert
}

// PostableAlerts are sent at once.
type PostableAlerts []*PostableAlert
