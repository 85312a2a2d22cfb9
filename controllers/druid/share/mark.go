package share

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

const (
	// renewal is the interval for renewing the mark, and pause that for trying again.
	renewal, pause = time.Minute, 5 * time.Second
	// holders is the prefix of the annotations of the mark: one for each landscape that has marked the cluster.
	holders = "druids.landscape.gardener.cloud/"
	// unknown is the annotation for the landscapes of a mark of a former version, which told none. Nobody knows when they have left: a person removes it.
	unknown = holders + "unknown"
)

// Mark is the part of one landscape in the mark of a cluster. Its methods may be called concurrently.
type Mark struct {
	// Identity tells the landscape apart from all others of the cluster.
	Identity string

	turn sync.Mutex
	left bool
}

// Leave takes the landscape's part from the mark, and removes the mark of the last landscape. A mark without parts, which a former version has made,
// may be another landscape's, and stays. After that the druid marks the cluster no more, until it
// is started again. The client must not be cached.
func (m *Mark) Leave(ctx context.Context, c client.Client) error {
	m.turn.Lock()
	defer m.turn.Unlock()
	m.left = true
	err := retry.OnError(retry.DefaultBackoff, apierrors.IsConflict, func() error { return m.leave(ctx, c) })
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("remove lease %q: %w", MarkName, err)
	}
	return nil
}

func (m *Mark) leave(ctx context.Context, c client.Client) error {
	found := lease()
	if err := c.Get(ctx, client.ObjectKeyFromObject(found), found); err != nil {
		return err
	}
	if !hasHolder(found) {
		return nil
	}
	delete(found.Annotations, m.annotation())
	if hasHolder(found) {
		return c.Update(ctx, found)
	}
	return c.Delete(ctx, found, client.Preconditions{UID: &found.UID, ResourceVersion: &found.ResourceVersion})
}

func hasHolder(mark *coordinationv1.Lease) bool {
	for key := range mark.Annotations {
		if strings.HasPrefix(key, holders) {
			return true
		}
	}
	return false
}

func (m *Mark) annotation() string {
	sum := sha256.Sum256([]byte(m.Identity))
	return holders + hex.EncodeToString(sum[:16])
}

// returns undoes that the landscape has left.
func (m *Mark) returns() {
	m.turn.Lock()
	defer m.turn.Unlock()
	m.left = false
}

// Marker marks a cluster. All fields are required. It is a runnable of a manager.
type Marker struct {
	Reader client.Reader // uncached
	Client client.Client
	Clock  clock.PassiveClock
	Mark   *Mark
}

// Start marks the cluster, and renews the mark until ctx ends. The mark stays.
func (m Marker) Start(ctx context.Context) error {
	m.Mark.returns()
	for {
		wait := renewal
		if err := m.mark(ctx); err != nil { // the namespace may come later
			log.FromContext(ctx).V(1).Info("Cannot mark the cluster as that of a landscape's druid", "reason", err.Error())
			wait = pause
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
	}
}

func (m Marker) mark(ctx context.Context) error {
	m.Mark.turn.Lock()
	defer m.Mark.turn.Unlock()
	if m.Mark.left {
		return nil
	}
	found := lease()
	err := m.Reader.Get(ctx, client.ObjectKeyFromObject(found), found)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("read lease %q: %w", MarkName, err)
	}
	if err == nil && !hasHolder(found) {
		metav1.SetMetaDataAnnotation(&found.ObjectMeta, unknown, "true")
	}
	found.Spec.HolderIdentity, found.Spec.RenewTime = ptr.To("landscape"), &metav1.MicroTime{Time: m.Clock.Now()}
	metav1.SetMetaDataAnnotation(&found.ObjectMeta, m.Mark.annotation(), "true")
	if err != nil {
		err = m.Client.Create(ctx, found)
	} else {
		err = m.Client.Update(ctx, found)
	}
	if err != nil {
		return fmt.Errorf("write lease %q: %w", MarkName, err)
	}
	return nil
}

func lease() *coordinationv1.Lease {
	return &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: constants.GardenNamespace, Name: MarkName}}
}
