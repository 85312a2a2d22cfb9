package seedhost

import (
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

const head = `apiVersion: v1
kind: Config
current-context: a
contexts: [{name: a, context: {cluster: a, user: a}}]
`

func TestParse(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"complete":                     {head + "clusters: [{name: a, cluster: {server: 'https://127.0.0.1:1'}}]\nusers: [{name: a, user: {token: t}}]\n", ""},
		"empty":                        {"", "it has no data.kubeconfig"},
		"no YAML":                      {"{", "cannot be read"},
		"nothing chosen":               {"apiVersion: v1\nkind: Config\n", "names no cluster"},
		"a program":                    {head + "clusters: [{name: a, cluster: {server: x}}]\nusers: [{name: a, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: touch, interactiveMode: Never}}}]\n", `user "a" runs a program`},
		"a file with a token":          {head + "clusters: [{name: a, cluster: {server: x}}]\nusers: [{name: a, user: {tokenFile: /etc/passwd}}]\n", `user "a" refers to a file`},
		"a file with a key":            {head + "clusters: [{name: a, cluster: {server: x}}]\nusers: [{name: a, user: {client-key: /k, client-certificate: /c}}]\n", `user "a" refers to a file`},
		"a file with an authority":     {head + "clusters: [{name: a, cluster: {server: x, certificate-authority: /ca}}]\nusers: [{name: a, user: {token: t}}]\n", `cluster "a" refers to a file`},
		"a program that is not chosen": {head + "clusters: [{name: a, cluster: {server: x}}]\nusers: [{name: a, user: {token: t}}, {name: b, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: touch, interactiveMode: Never}}}]\n", `user "b" runs a program`},
	} {
		t.Run("API-11 a kubeconfig with "+name, func(t *testing.T) {
			_, err := parse([]byte(tc.text))
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

func TestHeld(t *testing.T) {
	now := time.Unix(1000, 0)
	at := func(ago time.Duration) *coordinationv1.Lease {
		return &coordinationv1.Lease{Spec: coordinationv1.LeaseSpec{
			RenewTime: &metav1.MicroTime{Time: now.Add(-ago)}, LeaseDurationSeconds: ptr.To[int32](2),
		}}
	}
	for name, tc := range map[string]struct {
		lease *coordinationv1.Lease
		want  bool
	}{
		"just renewed": {at(time.Second), true}, "a little late": {at(10 * time.Second), true},
		"long ago": {at(time.Minute), false}, "never renewed": {&coordinationv1.Lease{}, false},
	} {
		if got := held(tc.lease, now); got != tc.want {
			t.Errorf("%s: held is %v", name, got)
		}
	}
}
