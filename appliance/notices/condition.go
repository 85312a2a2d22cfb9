package notices

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/component"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// StorageAvailable is the condition of the first Seed about free space in the landscape's etcds. Progressing means that one of them
// is filling up.
const StorageAvailable gardencorev1beta1.ConditionType = "StorageAvailable"

// storage is how the etcds are, by name of the part.
type storage map[string]component.Status

// note notes the status of a part and reports whether it is an etcd.
func (s storage) note(status component.Status) bool {
	_, stores := s[status.Name]
	if stores {
		s[status.Name] = status
	}
	return stores
}

// condition tells how the etcds are. It is not known before each of them has been ready.
func (s storage) condition() (condition gardencorev1beta1.Condition, known bool) {
	var fills, lacks []string
	for _, name := range slices.Sorted(maps.Keys(s)) {
		status := s[name]
		switch {
		case status.State == component.Degraded:
			lacks = append(lacks, name+": "+status.Message)
		case status.State != component.Ready:
			return condition, false
		case status.Warning != "":
			fills = append(fills, name+": "+status.Warning)
		}
	}
	switch {
	case len(lacks) > 0:
		return findingOf(gardencorev1beta1.ConditionFalse, "StorageNotAvailable", lacks...), true
	case len(fills) > 0:
		return findingOf(gardencorev1beta1.ConditionProgressing, "StorageFills", fills...), true
	}
	return findingOf(gardencorev1beta1.ConditionTrue, "StorageAvailable", "the storage of the landscape has room"), true
}

func findingOf(status gardencorev1beta1.ConditionStatus, reason string, messages ...string) gardencorev1beta1.Condition {
	return gardencorev1beta1.Condition{Type: StorageAvailable, Status: status, Reason: reason, Message: strings.Join(messages, "; ")}
}

// tellCondition writes the condition if it has changed, and lets the other conditions be.
func tellCondition(ctx context.Context, garden client.Client, seed *gardencorev1beta1.Seed, wanted gardencorev1beta1.Condition) error {
	at := slices.IndexFunc(seed.Status.Conditions, func(c gardencorev1beta1.Condition) bool { return c.Type == StorageAvailable })
	now := metav1.NewTime(time.Now())
	wanted.LastTransitionTime, wanted.LastUpdateTime = now, now
	before := seed.DeepCopy()
	if at < 0 {
		seed.Status.Conditions = append(seed.Status.Conditions, wanted)
	} else {
		old := seed.Status.Conditions[at]
		if old.Status == wanted.Status && old.Reason == wanted.Reason && old.Message == wanted.Message {
			return nil
		}
		if old.Status == wanted.Status {
			wanted.LastTransitionTime = old.LastTransitionTime
		}
		seed.Status.Conditions[at] = wanted
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := garden.Status().Patch(ctx, seed, patch); err != nil {
		return fmt.Errorf("write condition %s of seed %q: %w", StorageAvailable, seed.Name, err)
	}
	return nil
}
