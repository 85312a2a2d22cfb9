package etcd

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

// kept are the keys of the source that a space has; empty if it has none.
func kept(t *testing.T, space seed.Space) string {
	t.Helper()
	secret := &corev1.Secret{}
	err := space.Client.Get(t.Context(), client.ObjectKey{Namespace: space.Name, Name: "etcd-backup-source-keys"}, secret)
	if client.IgnoreNotFound(err) != nil {
		t.Fatal(err)
	}
	return string(secret.Data["encryptionKey"])
}

func secretWith(namespace, name, key string) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: map[string][]byte{"encryptionKey": []byte(key), "hostPath": []byte("/dir")}}
}

func TestKeysOfTheSource(t *testing.T) {
	const space = "shoot--p--s"
	moving := func(t *testing.T, objects ...client.Object) *move {
		t.Helper()
		m := newMove(t, nothing, backups(entryName, "uid-new"), backups(sourceName, "uid-old"), bucket("uid-old"))
		scheme := m.source.Space.Client.Scheme()
		if err := install.AddSeed(scheme); err != nil {
			t.Fatal(err)
		}
		m.source.Space = seed.New(space, "image", fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build(), nil, m.source.Clock)
		return m
	}
	t.Run("MIG-17 the keys of the source outlive the access to it", func(t *testing.T) {
		m := moving(t, secretWith(space, "source-etcd-backup", "key of old"))
		if err := m.source.KeepKeys(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := m.source.Destroy(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := m.source.Space.Client.Delete(t.Context(), secretWith(space, "source-etcd-backup", "")); err != nil { // as the extension does
			t.Fatal(err)
		}
		for range 2 { // another attempt finds no access any longer
			if got := kept(t, m.source.Space); got != "key of old" {
				t.Errorf("kept is %q", got)
			}
			if err := m.source.KeepKeys(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	})
	t.Run("MIG-17 those of another source replace them, since the shoot may come back to a seed that was lost", func(t *testing.T) {
		m := moving(t, secretWith(space, "source-etcd-backup", "key of other"), secretWith(space, "etcd-backup-source-keys", "key of old"))
		if err := m.source.KeepKeys(t.Context()); err != nil || kept(t, m.source.Space) != "key of other" {
			t.Errorf("kept is %q, %v", kept(t, m.source.Space), err)
		}
	})
	t.Run("without encryption nothing is kept", func(t *testing.T) {
		m := moving(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "source-etcd-backup"}, Data: map[string][]byte{"hostPath": []byte("/dir")}})
		if err := m.source.KeepKeys(t.Context()); err != nil || kept(t, m.source.Space) != "" {
			t.Errorf("kept is %q, %v", kept(t, m.source.Space), err)
		}
	})
}

func TestKeysOfTheSourceGo(t *testing.T) {
	const latest = "GET /snapshot/latest"
	for name, tc := range map[string]struct {
		answers []string
		stays   bool
	}{
		"MIG-17 they stay while the newest full snapshot is a copy":              {[]string{`{"fullSnapshot":{"isFinal":true}}`}, true},
		"MIG-17 they stay while there is no full snapshot":                       {[]string{`{"ownKeys":true}`}, true},
		"MIG-17 they stay while nobody can tell":                                 {[]string{""}, true},
		"MIG-17 they go once the etcd has one with a key of its own":             {[]string{`{"fullSnapshot":{},"ownKeys":true}`}, false},
		"MIG-17 a reconciliation waits a little for the one that begins a chain": {[]string{"", `{"fullSnapshot":{}}`, `{"fullSnapshot":{},"ownKeys":true}`}, false},
	} {
		t.Run(name, func(t *testing.T) {
			e := serving(t, 1, &member{answers: map[string][]string{latest: tc.answers}})
			if err := e.Space.Client.Create(t.Context(), secretWith(moved, "etcd-backup-source-keys", "key")); err != nil {
				t.Fatal(err)
			}
			patience := patience
			if tc.stays {
				patience = time.Second
			}
			if err := e.dropSourceKeys(t.Context(), patience); err != nil {
				t.Fatal(err)
			}
			if got := kept(t, e.Space); (got == "key") != tc.stays {
				t.Errorf("kept is %q", got)
			}
		})
	}
	t.Run("without them nobody is asked", func(t *testing.T) {
		m := &member{}
		e := serving(t, 1, m)
		if err := e.DropSourceKeys(t.Context()); err != nil || len(m.asked) > 0 {
			t.Errorf("%v, asked %v", err, m.asked)
		}
	})
	t.Run("MIG-17 they stay if the etcd does not run", func(t *testing.T) {
		e := serving(t, 1, &member{})
		if err := e.Space.Delete(t.Context(), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: moved, Name: "etcd-main-0"}}); err != nil && !apierrors.IsNotFound(err) {
			t.Fatal(err)
		}
		if err := e.Space.Client.Create(t.Context(), secretWith(moved, "etcd-backup-source-keys", "key")); err != nil {
			t.Fatal(err)
		}
		if err := e.dropSourceKeys(t.Context(), time.Millisecond); err != nil || kept(t, e.Space) != "key" {
			t.Errorf("kept is %q, %v", kept(t, e.Space), err)
		}
	})
}
