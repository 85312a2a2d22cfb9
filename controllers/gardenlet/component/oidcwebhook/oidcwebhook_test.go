package oidcwebhook

import (
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

func TestObjects(t *testing.T) {
	t.Run("OIDC-7 the webhook has the ranges and names of its seed", func(t *testing.T) {
		_, deployment := Objects(Values{
			Namespace: "shoot--sky--sun", Image: "gardener:v1", Replicas: 1, Secrets: Secrets{Server: "server"},
			AllowedIssuerHosts: []string{"login.example.com", "*.internal"}, RefusedRanges: []string{"10.0.0.0/8"}, PrivateNetworks: []string{"192.168.0.0/16"},
		})
		if image := deployment.Spec.Template.Spec.Containers[0].Image; image != "gardener:v1" {
			t.Errorf("image %q", image)
		}
		args := deployment.Spec.Template.Spec.Containers[0].Args
		for _, want := range []string{"component", Name, "--allowed-issuer-hosts=login.example.com,*.internal", "--refused-ranges=10.0.0.0/8", "--private-networks=192.168.0.0/16", "--tls-cert-file=pki/server/tls.crt"} {
			if !slices.Contains(args, want) {
				t.Errorf("args %v lack %s", args, want)
			}
		}
	})
	t.Run("OIDC-7 a webhook without settings has no flags for them", func(t *testing.T) {
		_, deployment := Objects(Values{Namespace: "shoot--sky--sun", Secrets: Secrets{Server: "server"}})
		if args := strings.Join(deployment.Spec.Template.Spec.Containers[0].Args, " "); strings.Contains(args, "allowed") || strings.Contains(args, "refused") {
			t.Errorf("args: %s", args)
		}
	})
}

func TestClusterObjects(t *testing.T) {
	objects, err := ClusterObjects()
	if err != nil {
		t.Fatal(err)
	}
	callers, kinds := []string{}, 0
	for _, object := range objects {
		switch o := object.(type) {
		case *apiextensionsv1.CustomResourceDefinition:
			kinds++
		case *rbacv1.ClusterRoleBinding:
			if o.RoleRef.Name == Caller {
				for _, subject := range o.Subjects {
					callers = append(callers, subject.Name)
				}
			}
		}
	}
	t.Run("OIDC-1 the kind is in the shoot", func(t *testing.T) {
		if kinds != 1 {
			t.Errorf("%d kinds", kinds)
		}
	})
	t.Run("OIDC-5 kube-apiserver alone may call the webhook", func(t *testing.T) {
		if len(callers) != 1 || callers[0] != "system:kube-apiserver:oidc-webhook-authenticator" {
			t.Errorf("callers: %v", callers)
		}
	})
}
