package probe

import (
	"context"
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestJudge(t *testing.T) {
	now := time.Now()
	state := func(phase corev1.PodPhase, age time.Duration) result {
		return resultOf(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(now.Add(-age))}, Status: corev1.PodStatus{Phase: phase}}, now)
	}
	for name, tc := range map[string]struct {
		open, closed result
		want         string // reason; empty for going on
	}{
		"NET-8 the policy is obeyed":                     {open: state(corev1.PodSucceeded, 0), closed: state(corev1.PodFailed, 0), want: "True Enforced"},
		"NET-8 the policy is ignored":                    {open: state(corev1.PodSucceeded, 0), closed: state(corev1.PodSucceeded, 0), want: "False NotEnforced"},
		"NET-8 a broken network is no enforcement":       {open: state(corev1.PodFailed, 0), closed: state(corev1.PodFailed, 0), want: "Unknown NoConnection"},
		"NET-8 one pod runs":                             {open: state(corev1.PodSucceeded, 0), closed: state(corev1.PodRunning, time.Minute)},
		"NET-8 both have not begun":                      {open: state(corev1.PodPending, 0), closed: state(corev1.PodPending, 0)},
		"NET-8 a pod that never runs is not waited for":  {open: state(corev1.PodPending, time.Hour), closed: state(corev1.PodPending, time.Hour), want: "Unknown ProbeDoesNotRun"},
		"NET-8 pods of an earlier process count, if old": {open: state(corev1.PodSucceeded, time.Hour), closed: state(corev1.PodFailed, time.Hour), want: "True Enforced"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if finding := judge(map[string]result{open: tc.open, closed: tc.closed}); finding != nil {
				got = string(finding.Status) + " " + finding.Reason
			}
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestDial(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := Dial(t.Context(), address, 0); err != nil {
		t.Errorf("a server that listens: %v", err)
	}
	_ = listener.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Dial(ctx, address, time.Hour); err == nil {
		t.Error("no error although nothing listens")
	}
}

func TestRepeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		closed := errors.New("closed")
		attempts := []error{nil, closed, closed}
		if err := repeat(t.Context(), 2*dialEvery+dialEvery/2, func() error {
			err := attempts[0]
			attempts = attempts[1:]
			return err
		}); !errors.Is(err, closed) {
			t.Errorf("the first attempt has counted, not the last: %v", err)
		}
		if len(attempts) > 0 {
			t.Errorf("%d attempts are missing", len(attempts))
		}
	})
}
