package trust

import (
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

// domainsOfOthers tries to take the domain of a shoot from another project. The shoots fit to no seed, so none is made.
func domainsOfOthers(t *testing.T, l *framework.Landscape) {
	shoot := func(namespace, name, dns string) string {
		text := handedIn(name, "null", dns)
		text = strings.Replace(text, "namespace: garden-local", "namespace: "+namespace, 1)
		text = strings.Replace(text, "  resources:\n  - {name: hooks, resourceRef: {apiVersion: v1, kind: Secret, name: hooks}}\n", "", 1)
		return text + "  seedSelector: {matchLabels: {none: such}}\n"
	}
	create := func(l *framework.Landscape, text string) framework.Result {
		return l.TryKubectl(l.Garden(), "create", "-f", l.File("domain.yaml", text))
	}
	l.Kubectl(l.Garden(), "create", "-f", l.File("other.yaml", "apiVersion: core.gardener.cloud/v1beta1\nkind: Project\nmetadata: {name: other}\nspec: {namespace: garden-other}\n"))
	l.Kubectl(l.Garden(), "wait", "project", "other", "--for=jsonpath={.status.phase}=Ready", "--timeout=10m")
	for _, text := range []string{shoot("garden-local", "owner", "{domain: sun.example.org}"), shoot("garden-other", "later", "{providers: [{type: unmanaged}]}")} {
		if made := create(l, text); made.Code != 0 {
			t.Fatal(made.Stderr)
		}
	}
	const want = "in the domain of another shoot"
	for name, text := range map[string]string{
		"the domain":                     shoot("garden-other", "same", "{domain: sun.example.org}"),
		"a domain below it":              shoot("garden-other", "below", "{domain: api.sun.example.org}"),
		"a domain far below it":          shoot("garden-other", "below", "{domain: a.b.ingress.sun.example.org}"),
		"the domain above it":            shoot("garden-other", "above", "{domain: example.org}"),
		"the domain by two names":        strings.Replace(shoot("garden-other", "owner", "{domain: sun.example.org}"), "{name: owner,", "{name: owner, generateName: own-,", 1),
		"the domain by a made-up name":   strings.Replace(shoot("garden-other", "none", "{domain: sun.example.org}"), "{name: none,", "{generateName: own-,", 1),
		"a domain with a provider":       shoot("garden-other", "prov", "{domain: sun.example.org, providers: [{type: aws-route53, primary: true, secretName: hooks}]}"),
		"the domain in the same project": shoot("garden-local", "same", "{domain: sun.example.org}"),
	} {
		t.Run("ADM-18 "+name+" of a shoot of another project is refused", func(t *testing.T) {
			if result := create(l.For(t), text); result.Code == 0 || !strings.Contains(result.Stderr, want) {
				t.Errorf("code %d: %s%s", result.Code, result.Stdout, result.Stderr)
			}
		})
	}
	t.Run("ADM-18 the domain of a shoot of another project is refused in an update, too", func(t *testing.T) {
		l := l.For(t)
		for _, domain := range []string{"sun.example.org", "x.sun.example.org"} {
			result := l.TryKubectl(l.Garden(), "-n", "garden-other", "patch", "shoot", "later", "--type=merge", "-p", `{"spec":{"dns":{"domain":"`+domain+`","providers":null}}}`)
			if result.Code == 0 || !strings.Contains(result.Stderr, want) && !strings.Contains(result.Stderr, "spec.dns") {
				t.Errorf("%s: code %d: %s", domain, result.Code, result.Stderr)
			}
		}
	})
	t.Run("a domain beside it is free", func(t *testing.T) {
		l := l.For(t)
		if made := create(l, shoot("garden-other", "beside", "{domain: moon.example.org}")); made.Code != 0 {
			t.Error(made.Stderr)
		}
	})
}
