package csrapproval_test

import (
	"testing"

	certificatesv1 "k8s.io/api/certificates/v1"

	"github.com/gardener-up/gardener-up/controllers/controllermanager/csrapproval"
	"github.com/gardener-up/gardener-up/embedded/apihelper/bootstraptoken"
)

func TestJudge(t *testing.T) {
	const (
		seeds, joining = "gardener.cloud:system:seeds", "system:bootstrappers"
		prefix         = "gardener.cloud:system:seed:"
		account        = "system:serviceaccount:garden:gardenlet-bootstrap-"
	)
	token := func(namespace, name string) string { return "system:bootstrap:" + bootstraptoken.ID(namespace, name) }
	known := csrapproval.Known{Seeds: map[string]bool{"a": true, "b": true, "managed": true}, Managed: map[string]bool{"managed": true, "other": true}}
	for name, tc := range map[string]struct {
		user, group, seed string
		want              csrapproval.Verdict
	}{
		"GLT-1 the token of a seed brings it":                                {token("", "a"), joining, "a", csrapproval.Approve},
		"GLT-1 the token of a seed brings it before the Seed exists":         {token("", "new"), joining, "new", csrapproval.Approve},
		"GLT-1 the token of another seed brings no seed":                     {token("", "b"), joining, "a", csrapproval.Deny},
		"GLT-1 the token of another seed brings no new seed either":          {token("", "b"), joining, "new", csrapproval.Deny},
		"GLT-1 the token of another managed seed brings no seed":             {token("garden", "managed"), joining, "a", csrapproval.Deny},
		"GLT-1 the token of a managed seed brings it, even again":            {token("garden", "managed"), joining, "managed", csrapproval.Approve},
		"GLT-1 the token of a managed seed that is gone brings nothing":      {token("garden", "gone"), joining, "gone", csrapproval.Wait},
		"GLT-1 the token of an operator brings a new seed":                   {"system:bootstrap:012345", joining, "new", csrapproval.Approve},
		"GLT-6 the token of an operator does not take the place of a seed":   {"system:bootstrap:012345", joining, "a", csrapproval.Wait},
		"GLT-6 the token of an operator waits for a ManagedSeed's Seed, too": {"system:bootstrap:012345", joining, "other", csrapproval.Wait},
		"GLT-6 the user of a token without its group is any user":            {token("", "a"), "system:authenticated", "a", csrapproval.Wait},
		"GLT-4 a gardenlet renews its certificate":                           {prefix + "a", seeds, "a", csrapproval.Approve},
		"GLT-4 a gardenlet gets no certificate of another seed":              {prefix + "b", seeds, "a", csrapproval.Deny},
		"GLT-4 a gardenlet gets no certificate of a new seed":                {prefix + "b", seeds, "new", csrapproval.Deny},
		"GLT-4 the user of a gardenlet without its group is any user":        {prefix + "a", "system:authenticated", "a", csrapproval.Wait},
		"GLT-1 the account of a managed seed brings it":                      {account + "managed", "system:authenticated", "managed", csrapproval.Approve},
		"GLT-1 the account of another managed seed brings no seed":           {account + "other", "system:authenticated", "managed", csrapproval.Deny},
		"GLT-1 the account of a managed seed that is gone brings nothing":    {account + "gone", "system:authenticated", "gone", csrapproval.Wait},
		"GCM-29 any user who may brings a new seed":                          {"u", "may-join", "new", csrapproval.Approve},
		"GLT-6 any user who may does not take the place of a seed":           {"u", "may-join", "a", csrapproval.Wait},
	} {
		t.Run(name, func(t *testing.T) {
			request := &certificatesv1.CertificateSigningRequest{Spec: certificatesv1.CertificateSigningRequestSpec{Username: tc.user, Groups: []string{tc.group}}}
			if got, reason := csrapproval.Judge(request, tc.seed, known); got != tc.want || reason == "" {
				t.Errorf("verdict %v (%s), want %v", got, reason, tc.want)
			}
		})
	}
}
