package watchmap_test

import (
	"testing"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/gardener-up/gardener-up/embedded/watchmap"
)

// TestMain fails if the tests leave a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestWatch(t *testing.T) {
	renamed := func(event watch.Event) watch.Event {
		event.Object = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "changed"}}
		return event
	}
	t.Run("events are changed", func(t *testing.T) {
		source := watch.NewFakeWithChanSize(1, false)
		events := watchmap.New(source, renamed)
		source.Add(&corev1.Node{})
		if event := <-events.ResultChan(); event.Type != watch.Added || event.Object.(*corev1.Node).Name != "changed" {
			t.Errorf("event %v", event)
		}
		events.Stop()
		if _, open := <-events.ResultChan(); open {
			t.Error("the watch goes on after it was stopped")
		}
	})
	t.Run("an event that nobody reads does not keep a stopped watch alive", func(*testing.T) {
		source := watch.NewFakeWithChanSize(2, false)
		events := watchmap.New(source, renamed)
		source.Add(&corev1.Node{})
		source.Add(&corev1.Node{})
		events.Stop()
		events.Stop()
	})
}
