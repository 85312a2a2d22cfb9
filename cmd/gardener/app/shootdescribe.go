package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// maxEvents is how many of the last events of a shoot are shown.
const maxEvents = 10

// shootDescription is what "gardener shoot describe" prints.
type shootDescription struct {
	shootStatus
	TechnicalID         string                                     `json:"technicalID,omitempty"`
	AdvertisedAddresses []gardencorev1beta1.ShootAdvertisedAddress `json:"advertisedAddresses,omitempty"`
	Workers             []gardencorev1beta1.Worker                 `json:"workers,omitempty"`
	Conditions          []gardencorev1beta1.Condition              `json:"conditions,omitempty"`
	Constraints         []gardencorev1beta1.Condition              `json:"constraints,omitempty"`
	LastErrors          []gardencorev1beta1.LastError              `json:"lastErrors,omitempty"`
	Events              []corev1.Event                             `json:"events,omitempty"`
}

func newShootDescribe(global *globalFlags) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "describe NAME",
		Example: `  gardener shoot describe sun
  gardener shoot describe garden-dev/sun -o yaml`,
		Aliases: []string{"show"}, Short: "Tell how a shoot is, what it waits for, and what happened to it",
		Args: needs("the name of a shoot"), ValidArgsFunction: completeShoots(global),
		RunE: func(cmd *cobra.Command, args []string) error {
			key, err := shootKey(cmd, args[0])
			if err != nil {
				return err
			}
			_, garden, err := reachGarden(cmd, global)
			if err != nil {
				return err
			}
			shoot, err := readShoot(cmd.Context(), garden, key)
			if err != nil {
				return err
			}
			events, err := eventsOf(cmd.Context(), garden, shoot)
			if err != nil {
				return err
			}
			description := shootDescription{
				shootStatus: statusOf(shoot), TechnicalID: shoot.Status.TechnicalID, AdvertisedAddresses: shoot.Status.AdvertisedAddresses,
				Workers: shoot.Spec.Provider.Workers, Conditions: shoot.Status.Conditions, Constraints: shoot.Status.Constraints,
				LastErrors: shoot.Status.LastErrors, Events: events,
			}
			return global.display.printAs(cmd.OutOrStdout(), output, description, func() [][]string {
				return slices.Concat(factRows(shoot), workerRows(shoot), conditionRows(shoot), eventRows(events))
			})
		},
	}
	addOutput(cmd, &output, "wide")
	return cmd
}

// eventsOf returns the last events of a shoot, the newest last.
func eventsOf(ctx context.Context, garden client.Reader, shoot *gardencorev1beta1.Shoot) ([]corev1.Event, error) {
	list := &corev1.EventList{}
	if err := garden.List(ctx, list, client.InNamespace(shoot.Namespace)); err != nil {
		return nil, fmt.Errorf("list events of shoot %s/%s: %w", shoot.Namespace, shoot.Name, err)
	}
	events := slices.DeleteFunc(list.Items, func(e corev1.Event) bool {
		return e.InvolvedObject.Kind != "Shoot" || e.InvolvedObject.Name != shoot.Name
	})
	slices.SortStableFunc(events, func(a, b corev1.Event) int { return when(a).Compare(when(b)) })
	return events[max(0, len(events)-maxEvents):], nil
}

// when an event was last seen. Newer clients leave the older fields empty.
func when(e corev1.Event) time.Time {
	if e.LastTimestamp.IsZero() {
		return e.EventTime.Time
	}
	return e.LastTimestamp.Time
}

func ago(t time.Time) string { return duration.HumanDuration(time.Since(t)) + " ago" }

func factRows(shoot *gardencorev1beta1.Shoot) [][]string {
	s := statusOf(shoot)
	rows := [][]string{
		{"shoot", s.Namespace + "/" + s.Name}, {"created", ago(shoot.CreationTimestamp.Time)}, {"kubernetes", s.Kubernetes},
		{"provider", shoot.Spec.Provider.Type + ", region " + shoot.Spec.Region}, {"seed", s.Seed}, {"technical ID", shoot.Status.TechnicalID},
	}
	if s.Purpose != "" {
		rows = append(rows, []string{"purpose", s.Purpose})
	}
	for _, address := range shoot.Status.AdvertisedAddresses {
		rows = append(rows, []string{"address " + address.Name, address.URL})
	}
	state := tinted(tintOfOperation(s), s.Operation)
	if last := shoot.Status.LastOperation; last != nil {
		state += ", " + ago(last.LastUpdateTime.Time)
	}
	rows = append(rows, []string{"last operation", state})
	if s.Doing != "" {
		rows = append(rows, []string{"", s.Doing})
	}
	for _, e := range shoot.Status.LastErrors {
		var codes []string
		for _, code := range e.Codes {
			codes = append(codes, string(code))
		}
		rows = append(rows, []string{tinted(red, "error"), strings.TrimSpace(strings.Join(codes, " ") + " " + e.Description)})
	}
	switch {
	case s.Asleep:
		rows = append(rows, []string{tinted(yellow, "sleeps"), "wake it up with: " + wakeUp(s.Namespace, s.Name)})
	case shoot.DeletionTimestamp != nil:
		rows = append(rows, []string{tinted(yellow, "being deleted"), "since " + duration.HumanDuration(time.Since(shoot.DeletionTimestamp.Time))})
	}
	return append(rows, rotationRows(shoot)...)
}

// rotationRows returns one row for each rotation that has begun.
func rotationRows(shoot *gardencorev1beta1.Shoot) [][]string {
	var rows [][]string
	for _, r := range rotationsOf(shoot) {
		rows = append(rows, []string{"rotation of " + r.title, tinted(yellow, string(r.phase))})
	}
	return rows
}

func workerRows(shoot *gardencorev1beta1.Shoot) [][]string {
	if len(shoot.Spec.Provider.Workers) == 0 {
		return nil
	}
	rows := [][]string{nil, {"POOL", "MACHINE", "IMAGE", "NODES", "KUBERNETES"}}
	for _, w := range shoot.Spec.Provider.Workers {
		image, version := "", shoot.Spec.Kubernetes.Version
		if w.Machine.Image != nil {
			image = w.Machine.Image.Name + " " + ptr.Deref(w.Machine.Image.Version, "")
		}
		if w.Kubernetes != nil && w.Kubernetes.Version != nil {
			version = *w.Kubernetes.Version
		}
		nodes := fmt.Sprint(w.Minimum)
		if w.Maximum != w.Minimum {
			nodes = fmt.Sprintf("%d to %d", w.Minimum, w.Maximum)
		}
		rows = append(rows, []string{w.Name, w.Machine.Type, image, nodes, version})
	}
	return rows
}

func conditionRows(shoot *gardencorev1beta1.Shoot) [][]string {
	var rows [][]string
	for _, list := range []struct {
		title      string
		conditions []gardencorev1beta1.Condition
	}{{"CONDITION", shoot.Status.Conditions}, {"CONSTRAINT", shoot.Status.Constraints}} {
		if len(list.conditions) == 0 {
			continue
		}
		rows = append(rows, nil, []string{list.title, "STATUS", "SINCE", "MESSAGE"})
		for _, c := range list.conditions {
			rows = append(rows, []string{string(c.Type), tinted(tintOfCondition(c), string(c.Status)), duration.HumanDuration(time.Since(c.LastTransitionTime.Time)), c.Message})
		}
	}
	return rows
}

func eventRows(events []corev1.Event) [][]string {
	if len(events) == 0 {
		return nil
	}
	rows := [][]string{nil, {"EVENT", "REASON", "AGE", "MESSAGE"}}
	for _, e := range events {
		rows = append(rows, []string{tinted(tintOfEvent(e), e.Type), e.Reason, duration.HumanDuration(time.Since(when(e))), strings.TrimSpace(e.Message)})
	}
	return rows
}
