package apiserver

import (
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

func TestStaysAsItIs(t *testing.T) {
	boom := errors.New("boom")
	refused := contract.WithCodes(boom, gardencorev1beta1.ErrorConfigurationProblem)
	kept, deleted := &gardencorev1beta1.Shoot{}, &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &metav1.Time{Time: time.Now()}}}
	for name, tc := range map[string]struct {
		shoot *gardencorev1beta1.Shoot
		err   error
		want  bool
	}{
		"GAC-2 a document that is refused does not keep a Shoot from being deleted": {deleted, refused, true},
		"GAC-2 a Shoot that is kept needs documents that are accepted":              {kept, refused, false},
		"other errors are retried": {deleted, boom, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := staysAsItIs(tc.shoot, tc.err); got != tc.want {
				t.Errorf("stays as it is: %v", got)
			}
		})
	}
}
