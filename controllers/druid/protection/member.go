package protection

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/druid/share"
)

// prefix of the annotations of the policy: each names a druid, and its value is the user that this druid is.
const prefix = "druids.protection.landscape.gardener.cloud/"

// Member is a druid of a cluster. The druids of a cluster that have the same share, for example those of two landscapes, have one policy, which allows all of them.
// The last one that leaves removes it. A member that vanishes stays: the others cannot tell it from one that rests, whose etcds go on and are to be protected. If somebody
// deletes the policy, the members that run write it anew, each when it renews it, and the one that is gone is not in it.
type Member struct {
	// Identity tells the druid apart from all others of the cluster.
	Identity string
	Share    share.Share

	turn sync.Mutex
	left bool
}

func (m *Member) annotation() string {
	sum := sha256.Sum256([]byte(m.Identity))
	return prefix + hex.EncodeToString(sum[:16])
}

// returns undoes that the member has left.
func (m *Member) returns() {
	m.turn.Lock()
	defer m.turn.Unlock()
	m.left = false
}

// Join writes the policy, which then allows user, whom the druid is. A member that has left stays away. The client must not be cached.
func (m *Member) Join(ctx context.Context, c client.Client, user string) error {
	m.turn.Lock()
	defer m.turn.Unlock()
	if m.left {
		return nil
	}
	return ignoreUnknown(m.change(ctx, c, func(users map[string]string) { users[m.annotation()] = user }))
}

// Leave removes the member from the policy, and the policy after the last member. The client must not be cached.
func (m *Member) Leave(ctx context.Context, c client.Client) error {
	m.turn.Lock()
	defer m.turn.Unlock()
	m.left = true
	return ignoreUnknown(m.change(ctx, c, func(users map[string]string) { delete(users, m.annotation()) }))
}

// ignoreUnknown forgets that a cluster before 1.30 knows no such policies.
func ignoreUnknown(err error) error {
	if apimeta.IsNoMatchError(err) {
		return nil
	}
	return err
}

// change changes who may change the objects of Etcds. Another druid may do the same meanwhile.
func (m *Member) change(ctx context.Context, c client.Client, edit func(users map[string]string)) error {
	err := retry.OnError(retry.DefaultBackoff, func(err error) bool {
		return apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) || apierrors.IsNotFound(err)
	}, func() error { return m.changeOnce(ctx, c, edit) })
	if err != nil {
		return fmt.Errorf("write policy %q: %w", names[m.Share], err)
	}
	return nil
}

func (m *Member) changeOnce(ctx context.Context, c client.Client, edit func(users map[string]string)) error {
	is := &admissionregistrationv1.ValidatingAdmissionPolicy{}
	err := c.Get(ctx, client.ObjectKey{Name: names[m.Share]}, is)
	if client.IgnoreNotFound(err) != nil {
		return err
	}
	users := maps.Clone(is.Annotations)
	if users == nil {
		users = map[string]string{}
	}
	maps.DeleteFunc(users, func(key, _ string) bool { return !strings.HasPrefix(key, prefix) })
	edit(users)
	wanted, binding := policy(m.Share, slices.Compact(slices.Sorted(maps.Values(users))))
	wanted.Annotations = users
	switch exists := err == nil; {
	case len(users) == 0:
		return remove(ctx, c, is, binding)
	case exists:
		wanted.ResourceVersion = is.ResourceVersion
		err = c.Update(ctx, wanted)
	default:
		err = c.Create(ctx, wanted)
	}
	if err != nil {
		return err
	}
	return bind(ctx, c, binding)
}

func bind(ctx context.Context, c client.Client, wanted *admissionregistrationv1.ValidatingAdmissionPolicyBinding) error {
	is := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{}
	err := c.Get(ctx, client.ObjectKeyFromObject(wanted), is)
	switch {
	case apierrors.IsNotFound(err):
		return c.Create(ctx, wanted)
	case err != nil:
		return err
	}
	wanted.ResourceVersion = is.ResourceVersion
	return c.Update(ctx, wanted)
}

// remove removes the policy as it was read, and then its binding. If a druid joins in between, it writes the binding again.
func remove(ctx context.Context, c client.Client, is *admissionregistrationv1.ValidatingAdmissionPolicy, binding *admissionregistrationv1.ValidatingAdmissionPolicyBinding) error {
	if is.Name != "" {
		if err := c.Delete(ctx, is, client.Preconditions{UID: &is.UID, ResourceVersion: &is.ResourceVersion}); err != nil {
			return err
		}
	}
	err := c.Delete(ctx, &admissionregistrationv1.ValidatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: binding.Name}})
	return client.IgnoreNotFound(err)
}
