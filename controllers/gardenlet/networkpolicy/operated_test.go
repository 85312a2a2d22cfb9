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

// gardens answers with a number of Gardens and of Deployments, or an error.
type gardens struct {
	client.Reader
	count, deployed int
	err             error
}

func (g *gardens) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	metadata := list.(*metav1.PartialObjectMetadataList)
	count := g.count
	if metadata.Kind == "DeploymentList" {
		count = g.deployed
	}
	metadata.Items = make([]metav1.PartialObjectMetadata, count)
	for i := range metadata.Items {
		metadata.Items[i].Name, metadata.Items[i].Finalizers = "local", []string{"gardener.cloud/operator"}
	}
	return g.err
}

func TestOperator(t *testing.T) {
	reader, clock := &gardens{err: &meta.NoKindMatchError{}}, testingclock.NewFakePassiveClock(time.Now())
	operator := OperatorOf(reader, clock)
	expect := func(writes bool, theirs string) {
		t.Helper()
		if got, err := operator.Writes(t.Context()); got != writes || err != nil {
			t.Errorf("writes %t, %v", got, err)
		}
		if got, err := operator.Theirs(t.Context()); got != theirs || err != nil {
			t.Errorf("theirs is %q, %v", got, err)
		}
	}
	t.Run("NET-6 a cluster that does not know the kind has no operator", func(*testing.T) { expect(false, "") })
	t.Run("NET-6 a Garden is seen after a while", func(*testing.T) {
		reader.err, reader.count = nil, 1
		expect(false, "")
		clock.SetTime(clock.Now().Add(operatedPeriod))
		expect(true, "")
	})
	t.Run("OPR-26 an operator that deploys its Garden writes the policies of its namespace only", func(*testing.T) {
		reader.deployed = 1
		clock.SetTime(clock.Now().Add(operatedPeriod))
		expect(false, "garden")
	})
	t.Run("NET-6 an error is returned, and nothing is written meanwhile", func(t *testing.T) {
		reader.err = errors.New("boom")
		clock.SetTime(clock.Now().Add(operatedPeriod))
		if _, err := operator.Writes(t.Context()); !errors.Is(err, reader.err) {
			t.Error(err)
		}
		if _, err := operator.Theirs(t.Context()); !errors.Is(err, reader.err) {
			t.Error(err)
		}
	})
}

func TestTheirs(t *testing.T) {
	t.Run("OPR-26 a namespace of the operator gets no policies", func(t *testing.T) {
		r := &Reconciler{Theirs: func(context.Context) (string, error) { return "garden", nil }}
		namespace := namespaceMetadata()
		namespace.Name, namespace.Labels = "garden", map[string]string{"gardener.cloud/role": "garden"}
		if wanted, err := r.wanted(t.Context(), namespace); len(wanted) > 0 || err != nil {
			t.Errorf("%d policies, %v", len(wanted), err)
		}
	})
	t.Run("OPR-26 nothing is decided while nobody knows which one is the operator's", func(t *testing.T) {
		boom := errors.New("boom")
		r := &Reconciler{Theirs: func(context.Context) (string, error) { return "", boom }}
		namespace := namespaceMetadata()
		namespace.Name, namespace.Labels = "shoot--a--b", map[string]string{"gardener.cloud/role": "shoot"}
		if _, err := r.wanted(t.Context(), namespace); !errors.Is(err, boom) {
			t.Error(err)
		}
	})
}
