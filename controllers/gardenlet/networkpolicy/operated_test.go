package networkpolicy

import (
	"context"
	"errors"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testingclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// gardens answers with a number of Gardens, or an error.
type gardens struct {
	client.Reader
	count int
	err   error
}

func (g *gardens) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	list.(*metav1.PartialObjectMetadataList).Items = make([]metav1.PartialObjectMetadata, g.count)
	return g.err
}

func TestOperatedBy(t *testing.T) {
	reader, clock := &gardens{err: &meta.NoKindMatchError{}}, testingclock.NewFakePassiveClock(time.Now())
	operated := OperatedBy(reader, clock)
	expect := func(want bool) {
		t.Helper()
		if got, err := operated(t.Context()); got != want || err != nil {
			t.Errorf("operated %t, %v", got, err)
		}
	}
	t.Run("NET-6 a cluster that does not know the kind has no operator", func(*testing.T) { expect(false) })
	t.Run("NET-6 a Garden is seen after a while", func(*testing.T) {
		reader.err, reader.count = nil, 1
		expect(false)
		clock.SetTime(clock.Now().Add(operatedPeriod))
		expect(true)
	})
	t.Run("NET-6 an error is returned, and nothing is written meanwhile", func(t *testing.T) {
		reader.err = errors.New("boom")
		clock.SetTime(clock.Now().Add(operatedPeriod))
		if _, err := operated(t.Context()); !errors.Is(err, reader.err) {
			t.Error(err)
		}
	})
}
