package secretsmanager

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Settings of a Manager.
type Settings struct {
	// Reader lists and gets Secrets. It must not be a cache: the manager must see what the last run created.
	Reader client.Reader
	Writer client.Writer
	Clock  clock.PassiveClock
	// Namespace of the secrets.
	Namespace string
	// Identity distinguishes the managers that share the namespace.
	Identity string
	// Names are those of the only configurations of which this manager sees, and cleans up, secrets: other managers with the same
	// identity keep the rest. Empty means all.
	Names []string
	// Rotations returns when the rotation of a secret was started last, by its name.
	Rotations map[string]time.Time
}

// Manager generates secrets. Its methods may be called from several goroutines.
type Manager struct {
	Settings

	lock    sync.Mutex
	byName  map[string]*corev1.Secret // existing secrets, by the name of the object
	used    map[string]bool           // by the name of the object
	entries map[string]*entry         // by the name of the configuration

	sourcesLock sync.Mutex
	labelled    map[string][]corev1.Secret // whose data are to be used, by the name of the configuration; nil until they are listed
}

// entry holds the current and old secrets of the name of a configuration.
type entry struct {
	lock                 sync.Mutex
	current, old, bundle *corev1.Secret
}

type input struct {
	now time.Time
	ca  map[string][]byte
}

// New lists the secrets of the manager's identity once.
func New(ctx context.Context, settings Settings) (*Manager, error) {
	m := &Manager{Settings: settings, byName: map[string]*corev1.Secret{}, used: map[string]bool{}, entries: map[string]*entry{}}
	secrets := &corev1.SecretList{}
	err := settings.Reader.List(ctx, secrets, client.InNamespace(settings.Namespace), client.MatchingLabels{
		LabelManagedBy: ManagedBy, LabelManagerIdentity: settings.Identity,
	})
	if err != nil {
		return nil, fmt.Errorf("list secrets of manager %q in namespace %q: %w", settings.Identity, settings.Namespace, err)
	}
	for i := range secrets.Items {
		if secret := &secrets.Items[i]; settings.cares(secret) {
			m.byName[secret.Name] = secret
		}
	}
	return m, nil
}

// cares reports whether the secret belongs to a configuration of this manager.
func (s Settings) cares(secret *corev1.Secret) bool {
	name := secret.Labels[LabelName]
	if of := secret.Labels[LabelBundleFor]; of != "" {
		name = of
	}
	return len(s.Names) == 0 || slices.Contains(s.Names, name)
}

// Current returns the newest secret generated in this run under the name of its configuration, nil if there is none.
func (m *Manager) Current(name string) *corev1.Secret {
	e := m.entry(name)
	e.lock.Lock()
	defer e.lock.Unlock()
	return e.current
}

// Old returns the secret kept by a rotation, nil if there is none.
func (m *Manager) Old(name string) *corev1.Secret {
	e := m.entry(name)
	e.lock.Lock()
	defer e.lock.Unlock()
	return e.old
}

// Bundle returns the bundle generated in this run under the name of its configuration, nil if there is none.
func (m *Manager) Bundle(name string) *corev1.Secret {
	e := m.entry(name)
	e.lock.Lock()
	defer e.lock.Unlock()
	return e.bundle
}

// Cleanup deletes the secrets of this identity that this run neither generated nor kept.
func (m *Manager) Cleanup(ctx context.Context) error {
	m.lock.Lock()
	var unused []*corev1.Secret
	for name, secret := range m.byName {
		if !m.used[name] {
			unused = append(unused, secret)
		}
	}
	m.lock.Unlock()
	for _, secret := range unused {
		if err := m.Writer.Delete(ctx, secret); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete unused secret %q: %w", secret.Name, err)
		}
		m.lock.Lock()
		delete(m.byName, secret.Name)
		m.lock.Unlock()
	}
	return nil
}

func (m *Manager) entry(name string) *entry {
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.entries[name] == nil {
		m.entries[name] = &entry{}
	}
	return m.entries[name]
}

// stored returns the existing secrets of the name of a configuration, newest rotation first, without bundles.
func (m *Manager) stored(name string) []*corev1.Secret {
	m.lock.Lock()
	defer m.lock.Unlock()
	var found []*corev1.Secret
	for _, secret := range m.byName {
		if secret.Labels[LabelName] == name && secret.Labels[LabelBundleFor] == "" {
			found = append(found, secret)
		}
	}
	return newestFirst(found, m.Clock.Now())
}

func (m *Manager) use(secret *corev1.Secret) {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.byName[secret.Name] = secret
	m.used[secret.Name] = true
}

func (m *Manager) lookup(name string) *corev1.Secret {
	m.lock.Lock()
	defer m.lock.Unlock()
	return m.byName[name]
}

func unixLabel(secret *corev1.Secret, label string) time.Time {
	seconds, err := strconv.ParseInt(secret.Labels[label], 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(seconds, 0)
}

// Persisted returns the secrets that Persist marks and that are in use, sorted by name. Those that this run has not generated are in use
// as they were generated last: runs that stop components need not describe their secrets.
func (m *Manager) Persisted() []*corev1.Secret {
	m.lock.Lock()
	defer m.lock.Unlock()
	generated, others := map[string]bool{}, map[string][]*corev1.Secret{}
	var out []*corev1.Secret
	for name, secret := range m.byName {
		if secret.Labels[LabelPersist] != "true" {
			continue
		}
		config := secret.Labels[LabelName]
		if m.used[name] {
			generated[config], out = true, append(out, secret)
		} else {
			others[config] = append(others[config], secret)
		}
	}
	for config, secrets := range others {
		if !generated[config] {
			out = append(out, newestFirst(secrets, m.Clock.Now())[0])
		}
	}
	slices.SortFunc(out, func(a, b *corev1.Secret) int { return strings.Compare(a.Name, b.Name) })
	return out
}
