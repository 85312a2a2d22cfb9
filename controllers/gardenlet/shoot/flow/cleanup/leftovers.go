package cleanup

import (
	"errors"
	"fmt"
	"strings"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// leftovers are the objects of one round that still exist. Users may have made many, so only the first few are kept.
type leftovers struct {
	names   []string
	count   int
	refused []error
}

// add notes an object that exists, and why it cannot be deleted.
func (l *leftovers) add(name string, refused error) {
	if l.count++; l.count <= mostNames {
		l.names = append(l.names, name)
	}
	if refused != nil && len(l.refused) < mostRefused {
		l.refused = append(l.refused, refused)
	}
}

// err names the first few objects, nil if there are none. Users may force the deletion of the shoot after such an error.
func (l *leftovers) err() error {
	if l.count == 0 {
		return nil
	}
	err := fmt.Errorf("still in the cluster: %s", l.text())
	if len(l.refused) > 0 {
		err = fmt.Errorf("%w: %w", err, errors.Join(l.refused...))
	}
	return contract.WithCodes(err, gardencorev1beta1.ErrorCleanupClusterResources)
}

const (
	mostNames   = 5
	mostRefused = 3
)

func (l *leftovers) text() string {
	out := strings.Join(l.names, ", ")
	if l.count > mostNames {
		out += fmt.Sprintf(" and %d more", l.count-mostNames)
	}
	return out
}
