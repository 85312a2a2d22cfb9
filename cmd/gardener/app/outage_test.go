package app

import (
	"errors"
	"fmt"
	"net"
	"syscall"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestOutage(t *testing.T) {
	begin := time.Unix(1_000_000, 0)
	unavailable := fmt.Errorf("read shoot: %w", apierrors.NewServiceUnavailable("starting"))
	for name, test := range map[string]struct {
		errs []error // one each 50 seconds
		want bool    // whether the last one ends the command
	}{
		"a server that starts again":         {[]error{unavailable}, false},
		"a refused connection":               {[]error{&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}}, false},
		"an answer":                          {[]error{nil}, false},
		"an outage of more than a minute":    {[]error{unavailable, unavailable, unavailable}, true},
		"two outages with an answer between": {[]error{unavailable, unavailable, nil, unavailable, unavailable}, false},
		"a forbidden question":               {[]error{apierrors.NewForbidden(schema.GroupResource{}, "sun", errors.New("no"))}, true},
		"a mistake of ours":                  {[]error{errors.New("read the kubeconfig")}, true},
	} {
		t.Run("APP-35 "+name, func(t *testing.T) {
			var o outage
			got := false
			for i, err := range test.errs {
				got = o.ends(err, begin.Add(time.Duration(i)*50*time.Second))
			}
			if got != test.want {
				t.Errorf("it ends the command: %t, want %t", got, test.want)
			}
		})
	}
}
