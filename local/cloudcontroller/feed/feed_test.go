package feed_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/local/cloudcontroller/feed"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func service(name string, kind corev1.ServiceType) *corev1.Service {
	return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name}, Spec: corev1.ServiceSpec{Type: kind}}
}

// fed collects the keys in the queue.
func fed(queue feed.Queue) []string {
	var names []string
	for queue.Len() > 0 {
		item, _ := queue.Get()
		names = append(names, item.Name)
		queue.Done(item)
	}
	slices.Sort(names)
	return names
}

func TestFeed(t *testing.T) {
	t.Run("GLT-30 it lists, watches, and begins again", listsAndWatches)
	t.Run("GLT-30 a list without an end ends at a bound", endsAtItsBound)
	t.Run("GLT-30 what finds no place in the queue comes with the next list", waitsForPlace)
}

func listsAndWatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failing := true
		watches, current := 0, (*watch.FakeWatcher)(nil)
		c := fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).WithObjects(service("a", corev1.ServiceTypeLoadBalancer), service("b", corev1.ServiceTypeClusterIP)).
			WithInterceptorFuncs(interceptor.Funcs{
				List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
					if failing {
						return errors.New("the API server does not run")
					}
					return c.List(ctx, list)
				},
				Watch: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) (watch.Interface, error) {
					watches++
					current = watch.NewFake()
					return current, nil
				},
			}).Build()
		again, complete := 0, 0
		f := &feed.Feed{Client: c, List: &corev1.ServiceList{}, Most: 10, Again: func() { again++ }, Complete: func(feed.Queue) { complete++ }, Offer: feed.If(func(object client.Object) bool {
			return object.(*corev1.Service).Spec.Type == corev1.ServiceTypeLoadBalancer
		})}
		queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
		ctx, cancel := context.WithCancel(t.Context())
		if err := f.Start(ctx, queue); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Minute)
		if f.Ready(nil) == nil || queue.Len() != 0 || again == 0 || complete != 0 {
			t.Error("GLT-30 it is ready although nothing could be read")
		}
		failing = false
		<-time.After(time.Minute)
		if got := fed(queue); f.Ready(nil) != nil || !slices.Equal(got, []string{"a"}) || complete != 1 {
			t.Errorf("GLT-30 listed are %v, %v", got, f.Ready(nil))
		}
		current.Add(service("c", corev1.ServiceTypeLoadBalancer))
		current.Add(service("d", corev1.ServiceTypeClusterIP))
		current.Delete(service("e", corev1.ServiceTypeLoadBalancer))
		synctest.Wait()
		if got := fed(queue); !slices.Equal(got, []string{"c"}) {
			t.Errorf("GLT-30 changed are %v", got)
		}
		before := again
		current.Error(&metav1.Status{Status: "Failure", Message: "too old resource version", Reason: metav1.StatusReasonExpired})
		<-time.After(time.Minute)
		if got := fed(queue); !slices.Equal(got, []string{"a"}) || again != before+1 {
			t.Errorf("GLT-30 after a watch has failed, %v are listed again, told %d times", got, again-before)
		}
		failing = true
		<-time.After(time.Hour)
		failing = false
		<-time.After(time.Minute)
		if got := fed(queue); !slices.Equal(got, []string{"a"}) || watches > 10 {
			t.Errorf("GLT-30 after an hour %v, by %d watches", got, watches)
		}
		cancel()
		synctest.Wait()
		queue.ShutDown()
	})
}

func endsAtItsBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		builder := fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme)
		c := builder.WithInterceptorFuncs(interceptor.Funcs{
			List: func(_ context.Context, _ client.WithWatch, list client.ObjectList, _ ...client.ListOption) error {
				services := list.(*corev1.ServiceList)
				services.ResourceVersion, services.Continue = "7", "more" // without an end
				services.Items = []corev1.Service{*service("a", corev1.ServiceTypeLoadBalancer)}
				return nil
			},
			Watch: func(_ context.Context, _ client.WithWatch, _ client.ObjectList, opts ...client.ListOption) (watch.Interface, error) {
				options := client.ListOptions{}
				options.ApplyOptions(opts)
				if options.Raw == nil || options.Raw.ResourceVersion != "7" {
					t.Errorf("the watch begins at %+v", options.Raw)
				}
				return watch.NewFake(), nil
			},
		}).Build()
		offered := 0
		f := &feed.Feed{Client: c, List: &corev1.ServiceList{}, Most: 5, Offer: func(client.Object, bool, feed.Queue) { offered++ }}
		queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
		ctx, cancel := context.WithCancel(t.Context())
		if err := f.Start(ctx, queue); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Minute)
		if offered != 5 || f.Ready(nil) != nil {
			t.Errorf("GLT-30 %d of an endless list are looked at, %v", offered, f.Ready(nil))
		}
		cancel()
		synctest.Wait()
		queue.ShutDown()
	})
}

func waitsForPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lists, current := 0, (*watch.FakeWatcher)(nil)
		c := fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).WithInterceptorFuncs(interceptor.Funcs{
			List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
				lists++
				return c.List(ctx, list, opts...)
			},
			Watch: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) (watch.Interface, error) {
				current = watch.NewFake()
				return current, nil
			},
		}).Build()
		f := &feed.Feed{Client: c, List: &corev1.ServiceList{}, Most: 5, Offer: feed.If(func(client.Object) bool { return true })}
		queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
		ctx, cancel := context.WithCancel(t.Context())
		if err := f.Start(ctx, queue); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		for i := range 100 {
			current.Add(service(fmt.Sprint("s", i), corev1.ServiceTypeLoadBalancer))
		}
		synctest.Wait()
		if got := fed(queue); len(got) != 5 || lists != 1 {
			t.Errorf("GLT-30 of 100 changes the queue keeps %d, want 5, after %d lists", len(got), lists)
		}
		if err := c.Create(ctx, service("s99", corev1.ServiceTypeLoadBalancer)); err != nil {
			t.Fatal(err)
		}
		<-time.After(2 * time.Minute)
		if got := fed(queue); !slices.Equal(got, []string{"s99"}) || lists != 2 {
			t.Errorf("GLT-30 two minutes later %v are looked at, after %d lists", got, lists)
		}
		<-time.After(10 * time.Minute)
		if lists != 2 {
			t.Errorf("GLT-30 there are %d lists although all fits", lists)
		}
		cancel()
		synctest.Wait()
		queue.ShutDown()
	})
}
