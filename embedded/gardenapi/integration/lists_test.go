package integration

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clientv3 "go.etcd.io/etcd/client/v3"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// states makes ShootStates of the same label, which lists of the test select.
func states(t *testing.T, label string, count int) client.MatchingLabels {
	t.Helper()
	for i := range count {
		create(t, &core.ShootState{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d", label, i), Namespace: "default", Labels: map[string]string{"list": label}}})
	}
	return client.MatchingLabels{"list": label}
}

func TestPagination(t *testing.T) {
	c, ctx := admin(t), t.Context()
	mine := states(t, "pages", 5)
	t.Run("API-34 a list comes in pages of one revision", func(t *testing.T) {
		var names, versions []string
		list := &core.ShootStateList{}
		for page := 0; page == 0 || list.Continue != ""; page++ {
			if err := c.List(ctx, list, mine, client.InNamespace("default"), client.Limit(2), client.Continue(list.Continue)); err != nil {
				t.Fatal(err)
			}
			if page == 0 {
				create(t, &core.ShootState{ObjectMeta: metav1.ObjectMeta{Name: "pages-9", Namespace: "default", Labels: mine}}) // after the list began
			}
			for _, s := range list.Items {
				names = append(names, s.Name)
			}
			versions = append(versions, list.ResourceVersion)
		}
		if want := []string{"pages-0", "pages-1", "pages-2", "pages-3", "pages-4"}; !slices.Equal(names, want) {
			t.Errorf("got %v, want %v", names, want)
		}
		if len(slices.Compact(versions)) != 1 {
			t.Errorf("pages are of the revisions %v", versions)
		}
	})
	t.Run("API-41 a page whose revision is gone is told, with a token for the rest", func(t *testing.T) {
		list := &core.ShootStateList{}
		if err := c.List(ctx, list, client.InNamespace("default"), client.Limit(1)); err != nil {
			t.Fatal(err)
		}
		compact(t)
		_, direct := another(t, nil) // has no copies of old revisions
		c := clientFor(t, direct)
		err := c.List(ctx, &core.ShootStateList{}, client.InNamespace("default"), client.Limit(1), client.Continue(aged(t, list.Continue)))
		if !apierrors.IsResourceExpired(err) {
			t.Fatalf("got %v, want 410", err)
		}
		rest := err.(apierrors.APIStatus).Status().ListMeta.Continue
		if err := c.List(ctx, list, client.InNamespace("default"), client.Limit(1), client.Continue(rest)); err != nil || len(list.Items) != 1 {
			t.Errorf("got %d objects, %v", len(list.Items), err)
		}
	})
}

// aged is a token for the same page of the first revision of all.
func aged(t *testing.T, token string) string {
	t.Helper()
	text, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		t.Fatal(err)
	}
	var content map[string]any
	if err := json.Unmarshal(text, &content); err != nil {
		t.Fatal(err)
	}
	content["rv"] = 1
	return base64.RawURLEncoding.EncodeToString(mustJSON(t, content))
}

// compact forgets all revisions but the present one.
func compact(t *testing.T) {
	t.Helper()
	etcd := etcdClient(t)
	response, err := etcd.Put(t.Context(), "/compact", "")
	if err == nil {
		_, err = etcd.Compact(t.Context(), response.Header.Revision, clientv3.WithCompactPhysical())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestBookmarks(t *testing.T) {
	c, err := client.NewWithWatch(garden.Config, client.Options{Scheme: admin(t).Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	mine := states(t, "bookmarks", 2)
	t.Run("API-34 a watch that asks for the initial events gets them and a bookmark behind them", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		yes := true
		events, err := c.Watch(ctx, &core.ShootStateList{}, mine, client.InNamespace("default"), &client.ListOptions{Raw: &metav1.ListOptions{
			SendInitialEvents: &yes, AllowWatchBookmarks: true, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
		}})
		if err != nil {
			t.Fatal(err)
		}
		defer events.Stop()
		var names []string
		for event := range events.ResultChan() {
			object, ok := event.Object.(*core.ShootState)
			if !ok {
				t.Fatalf("got %v: %v", event.Type, apierrors.FromObject(event.Object))
			}
			if event.Type == watch.Bookmark {
				if object.Annotations[metav1.InitialEventsAnnotationKey] != "true" || object.ResourceVersion == "" {
					t.Errorf("the bookmark is %+v", object.ObjectMeta)
				}
				break
			}
			names = append(names, object.Name)
		}
		if slices.Sort(names); !slices.Equal(names, []string{"bookmarks-0", "bookmarks-1"}) {
			t.Errorf("got %v before the bookmark", names)
		}
	})
	t.Run("API-41 a watch from a revision that is gone is told", func(t *testing.T) {
		compact(t)
		_, direct := another(t, nil) // knows nothing of what was before
		status, answer := send(t, direct, http.MethodGet, "/apis/core.gardener.cloud/v1beta1/shootstates?watch=true&resourceVersion=1&timeoutSeconds=5", "application/json", nil)
		if status != http.StatusOK && status != http.StatusGone || !strings.Contains(answer, `"code":410`) {
			t.Errorf("got %d with %.300s", status, answer)
		}
	})
}

func TestEvents(t *testing.T) {
	s := shoot(t)
	t.Run("API-28 events tell about objects of the Gardener API", func(t *testing.T) {
		create(t, &corev1.Event{
			ObjectMeta:     metav1.ObjectMeta{GenerateName: s.Name + "-", Namespace: s.Namespace},
			InvolvedObject: corev1.ObjectReference{APIVersion: core.SchemeGroupVersion.String(), Kind: "Shoot", Namespace: s.Namespace, Name: s.Name, UID: s.UID},
			Reason:         "Reconciling", Message: "m", Type: corev1.EventTypeNormal,
		})
		list := &corev1.EventList{}
		if err := admin(t).List(t.Context(), list, client.InNamespace(s.Namespace), client.MatchingFields{"involvedObject.kind": "Shoot", "involvedObject.name": s.Name}); err != nil || len(list.Items) != 1 {
			t.Errorf("got %d events, %v", len(list.Items), err)
		}
	})
}
