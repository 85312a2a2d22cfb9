// Package leases reports the state of a member and of its backups to Kubernetes, in Leases as etcd-druid reads them.
package leases

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	coordination "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
)

// Roles of members.
const (
	Leader = "Leader"
	Member = "Member"
)

// Report is the state of a member.
type Report struct {
	// Member is the ID in hexadecimal.
	Member string
	Role   string
	// Full and Delta are the newest snapshots, nil if there are none, or if another member makes them.
	Full, Delta *snapshot.Snapshot
	// Problem is why no snapshot may be stored; empty if nothing is known to keep it from that.
	Problem string
	// Latest is the time up to which changes are backed up.
	Latest time.Time
}

// Reporter writes the Leases of a member.
type Reporter struct {
	// Client for the namespace of the etcd.
	Client coordination.LeaseInterface
	// Lease is the name of the member's own Lease, FullLease and DeltaLease of those for snapshots.
	Lease, FullLease, DeltaLease string

	explained *string // the problem that the Lease has, nil if it is not known
}

// New returns a Reporter that uses the service account of the pod.
func New(config *rest.Config, namespace, lease, etcd string) (*Reporter, error) {
	client, err := coordination.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return &Reporter{Client: client.Leases(namespace), Lease: lease, FullLease: etcd + "-full-snap", DeltaLease: etcd + "-delta-snap"}, nil
}

// Send writes the report. The druid has made the Leases.
func (r *Reporter) Send(ctx context.Context, report Report) error {
	errs := []error{r.renew(ctx, r.Lease, report.Member+":"+report.Role, time.Now())}
	if report.Role == Leader {
		errs = append(errs, r.explain(ctx, report.Problem))
	} else {
		r.explained = nil // the leader writes it
	}
	if report.Full != nil {
		errs = append(errs, r.renew(ctx, r.FullLease, strconv.FormatInt(report.Full.End, 10), report.Full.Created))
		end := report.Full.End
		if report.Delta != nil {
			end = max(end, report.Delta.End)
		}
		errs = append(errs, r.renew(ctx, r.DeltaLease, strconv.FormatInt(end, 10), report.Latest))
	}
	return errors.Join(errs...)
}

// explain writes the problem, or removes it. It writes only what the Lease does not have yet.
func (r *Reporter) explain(ctx context.Context, problem string) error {
	if r.explained != nil && *r.explained == problem {
		return nil
	}
	var value any // null removes it
	if problem != "" {
		value = problem
	}
	content, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]any{constants.AnnotationBackupProblem: value}}})
	if err != nil {
		return err
	}
	if _, err := r.Client.Patch(ctx, r.FullLease, types.MergePatchType, content, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("annotate Lease %q: %w", r.FullLease, err)
	}
	r.explained = &problem
	return nil
}

func (r *Reporter) renew(ctx context.Context, name, holder string, at time.Time) error {
	content, err := json.Marshal(map[string]any{"spec": map[string]any{"holderIdentity": holder, "renewTime": metav1.NewMicroTime(at)}})
	if err != nil {
		return err
	}
	if _, err := r.Client.Patch(ctx, name, types.MergePatchType, content, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("renew Lease %q: %w", name, err)
	}
	return nil
}
