package app

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// answer is what a garden answers to one watch: an error, or events, after which it ends the watch.
type answer struct {
	err    error
	events []watch.Event
}

// forgetful is a garden that ends each watch. After its last answer the landscape is not running.
func forgetful(lists []client.ObjectList, answers ...answer) (reach reachFunc, versions *[]string) {
	versions = &[]string{}
	garden := interceptor.NewClient(fake.NewClientBuilder().WithScheme(gardenScheme()).Build(), interceptor.Funcs{
		Watch: func(_ context.Context, _ client.WithWatch, _ client.ObjectList, options ...client.ListOption) (watch.Interface, error) {
			of := (&client.ListOptions{}).ApplyOptions(options)
			*versions = append(*versions, of.Namespace+"@"+of.Raw.ResourceVersion)
			next := answers[0]
			answers = answers[1:]
			if next.err != nil {
				return nil, next.err
			}
			watching := watch.NewFakeWithChanSize(len(next.events), false)
			for _, event := range next.events {
				watching.Action(event.Type, event.Object)
			}
			watching.Stop()
			return watching, nil
		},
		List: func(_ context.Context, _ client.WithWatch, list client.ObjectList, _ ...client.ListOption) error {
			switch list := list.(type) {
			case *gardencorev1beta1.ShootList:
				*list = *lists[0].(*gardencorev1beta1.ShootList)
			case *corev1.EventList:
				*list = *lists[0].(*corev1.EventList)
			}
			lists = lists[1:]
			return nil
		},
	})
	return func(context.Context) (client.WithWatch, error) {
		if len(answers) == 0 {
			return nil, notRunning("local", "gardener up", nil)
		}
		return garden, nil
	}, versions
}

func shootAt(name, version string, progress int32) *gardencorev1beta1.Shoot {
	shoot := &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-sky", Name: name, UID: types.UID(name), ResourceVersion: version}}
	shoot.Status.LastOperation = &gardencorev1beta1.LastOperation{Type: "Create", State: "Processing", Progress: progress}
	return shoot
}

func shootsAt(version string, shoots ...*gardencorev1beta1.Shoot) *gardencorev1beta1.ShootList {
	list := &gardencorev1beta1.ShootList{ListMeta: metav1.ListMeta{ResourceVersion: version}}
	for _, shoot := range shoots {
		list.Items = append(list.Items, *shoot)
	}
	return list
}

var refused = &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}

func TestShootListGoesOn(t *testing.T) {
	modified := func(shoot *gardencorev1beta1.Shoot) watch.Event {
		return watch.Event{Type: watch.Modified, Object: shoot}
	}
	tooOld := apierrors.NewResourceExpired("too old resource version")
	ended := "error: landscape \"local\" is not running (GRD-300)\nhint:  start it with \"gardener up\"\n"
	for name, tc := range map[string]struct {
		lists    []client.ObjectList
		answers  []answer
		versions []string
		want     []string
		says     string
		code     int
	}{
		"a server ends the watch": {
			answers:  []answer{{events: []watch.Event{modified(shootAt("sun", "2", 20))}}, {events: []watch.Event{modified(shootAt("sun", "3", 30))}}},
			versions: []string{"garden-sky@1", "garden-sky@2"}, want: []string{"sun 20%", "sun 30%"}, says: ended, code: codeNotRunning,
		},
		"a server starts again": {
			answers:  []answer{{err: refused}, {events: []watch.Event{modified(shootAt("sun", "2", 20))}}},
			versions: []string{"garden-sky@1", "garden-sky@1"}, want: []string{"sun 20%"}, says: ended, code: codeNotRunning,
		},
		"a server has forgotten the changes": {
			lists:    []client.ObjectList{shootsAt("9", shootAt("sun", "8", 40), shootAt("sea", "1", 10))},
			answers:  []answer{{events: []watch.Event{{Type: watch.Error, Object: &tooOld.ErrStatus}}}, {events: []watch.Event{modified(shootAt("sea", "10", 50))}}},
			versions: []string{"garden-sky@1", "garden-sky@9"}, want: []string{"sun 40%", "moon gone", "sea 50%"}, says: ended, code: codeNotRunning,
		},
		"a server refuses an old version": {
			lists: []client.ObjectList{shootsAt("9", shootAt("sun", "1", 10), shootAt("moon", "1", 10), shootAt("sea", "1", 10))}, answers: []answer{{err: tooOld}, {}},
			versions: []string{"garden-sky@1", "garden-sky@9"}, says: ended, code: codeNotRunning,
		},
		"the user may not watch": {
			answers:  []answer{{err: apierrors.NewForbidden(gardencorev1beta1.Resource("shoots"), "", errors.New("no"))}, {}},
			versions: []string{"garden-sky@1"}, says: "watch shoots: ", code: codeFailure,
		},
	} {
		t.Run("APP-35 "+name, func(t *testing.T) {
			reach, versions := forgetful(tc.lists, tc.answers...)
			var out, errs bytes.Buffer
			listing := &shootListing{output: "table", watch: true, w: &out, lines: &columns{w: &out}}
			err := listing.follow(t.Context(), reach, "garden-sky", shootsAt("1", shootAt("sun", "1", 10), shootAt("moon", "1", 10), shootAt("sea", "1", 10)))
			code := report(err, newDisplay(), &errs)
			if code != tc.code || !strings.Contains(errs.String(), tc.says) {
				t.Errorf("exit code %d, want %d: %s", code, tc.code, errs.String())
			}
			if diff := cmp.Diff(tc.versions, *versions); diff != "" {
				t.Errorf("watches (-want +got):\n%s", diff)
			}
			var got []string
			for line := range strings.Lines(out.String()) {
				words := strings.Fields(line)
				state := words[len(words)-2]
				if strings.Contains(line, "gone") {
					state = "gone"
				}
				got = append(got, words[1]+" "+strings.Trim(state, "()"))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("lines (-want +got):\n%s\n%s", diff, out.String())
			}
		})
	}
}

func TestEventsAreDocuments(t *testing.T) {
	event := func(name, version string) corev1.Event {
		return corev1.Event{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-sky", Name: name, UID: types.UID(name), ResourceVersion: version}}
	}
	second := event("second", "2")
	for output, apart := range map[string]string{"json": "}\n{", "yaml": "---\n"} {
		t.Run("APP-35 a watch prints one document for each event as "+output, func(t *testing.T) {
			reach, versions := forgetful([]client.ObjectList{&corev1.EventList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}, Items: []corev1.Event{event("first", "1")}}},
				answer{events: []watch.Event{{Type: watch.Added, Object: &second}}}, answer{err: &apierrors.StatusError{ErrStatus: metav1.Status{Code: http.StatusServiceUnavailable}}})
			var out bytes.Buffer
			cmd := &cobra.Command{}
			cmd.SetContext(t.Context())
			cmd.SetOut(&out)
			garden, err := reach(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			listing := &eventListing{output: output, watch: true}
			list, err := listing.print(cmd, garden, "garden-sky", nil)
			if err != nil {
				t.Fatal(err)
			}
			err = listing.follow(cmd, reach, "garden-sky", nil, list)
			if code := report(err, newDisplay(), &bytes.Buffer{}); code != codeNotRunning {
				t.Errorf("exit code %d: %v", code, err)
			}
			if diff := cmp.Diff([]string{"garden-sky@1", "garden-sky@2"}, *versions); diff != "" {
				t.Errorf("watches (-want +got):\n%s", diff)
			}
			if text := out.String(); strings.HasPrefix(text, "[") || strings.HasPrefix(text, "- ") || !strings.Contains(text, apart) || !strings.Contains(text, "second") {
				t.Errorf("printed:\n%s", text)
			}
		})
	}
}

// watched follows shoots of a garden that answers each watch by the function, and returns the error. It runs in a bubble.
func watched(ctx context.Context, answer func(context.Context) []watch.Event) error {
	garden := interceptor.NewClient(fake.NewClientBuilder().WithScheme(gardenScheme()).Build(), interceptor.Funcs{
		Watch: func(ctx context.Context, _ client.WithWatch, _ client.ObjectList, _ ...client.ListOption) (watch.Interface, error) {
			events := answer(ctx)
			watching := watch.NewFakeWithChanSize(len(events), false)
			for _, event := range events {
				watching.Action(event.Type, event.Object)
			}
			watching.Stop()
			return watching, nil
		},
	})
	listing := &shootListing{output: "table", watch: true, w: io.Discard, lines: &columns{w: io.Discard}}
	return listing.follow(ctx, func(context.Context) (client.WithWatch, error) { return garden, nil }, "garden-sky", shootsAt("1", shootAt("sun", "1", 10)))
}

func TestWatchesThatBringErrors(t *testing.T) {
	failure := func(code int32, reason metav1.StatusReason) watch.Event {
		return watch.Event{Type: watch.Error, Object: &metav1.Status{Status: metav1.StatusFailure, Code: code, Reason: reason, Message: "boom"}}
	}
	for name, tc := range map[string]struct {
		event watch.Event
		// every is how often an event comes between the errors; 0 is never.
		every, least, most time.Duration
	}{
		"internal errors for ever":             {event: failure(http.StatusInternalServerError, metav1.StatusReasonInternalError), least: outageLimit, most: outageLimit + 10*time.Second},
		"timeouts for ever":                    {event: failure(http.StatusGatewayTimeout, metav1.StatusReasonTimeout), least: outageLimit, most: outageLimit + 10*time.Second},
		"a credential that is not accepted":    {event: failure(http.StatusUnauthorized, metav1.StatusReasonUnauthorized), most: time.Second},
		"internal errors with answers between": {event: failure(http.StatusInternalServerError, metav1.StatusReasonInternalError), every: 30 * time.Second, least: time.Hour, most: time.Hour},
	} {
		t.Run("APP-35 "+name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				answered := begin
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				err := watched(ctx, func(context.Context) []watch.Event {
					if tc.every > 0 && time.Since(answered) >= tc.every {
						answered = time.Now()
						return []watch.Event{{Type: watch.Modified, Object: shootAt("sun", "2", 20)}, tc.event}
					}
					return []watch.Event{tc.event}
				})
				if took := time.Since(begin); took < tc.least || took > tc.most || err == nil {
					t.Errorf("it ended after %s: %v", took, err)
				}
				if told := ctx.Err() == nil && strings.Contains(err.Error(), "watch shoots: "); told != (tc.every == 0) {
					t.Errorf("error %v", err)
				}
			})
		})
	}
	t.Run("APP-35 an interruption does not wait for a server that does not answer", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			answers, ended := make(chan struct{}), make(chan error, 1)
			go func() {
				ended <- watched(ctx, func(context.Context) []watch.Event {
					<-answers
					return nil
				})
			}()
			synctest.Wait()
			cancel()
			synctest.Wait()
			if len(ended) == 0 {
				t.Error("it hangs")
			}
			close(answers)
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
		})
	})
}
