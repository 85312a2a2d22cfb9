package clusteropenidconnectpreset

import (
	"context"
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	settings "github.com/gardener-up/gardener-up/embedded/apis/settings/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/admissiontest"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
)

func preset(name string, selector *metav1.LabelSelector) *settings.ClusterOpenIDConnectPreset {
	p := &settings.ClusterOpenIDConnectPreset{ObjectMeta: metav1.ObjectMeta{Name: name}}
	p.Spec.Weight, p.Spec.Server.ClientID, p.Spec.ProjectSelector = 1, name, selector
	return p
}

// noProjects fails to read projects only.
type noProjects struct{ admissiontest.Objects }

func (n noProjects) EachCached(ctx context.Context, resource schema.GroupResource, namespace string, visit func(runtime.Object) bool) error {
	if resource == core.Resource("projects") {
		return errors.New("boom")
	}
	return n.Objects.EachCached(ctx, resource, namespace, visit)
}

func TestAdmit(t *testing.T) {
	project := &core.Project{ObjectMeta: metav1.ObjectMeta{Name: "p", Labels: map[string]string{"a": "b"}}, Spec: core.ProjectSpec{Namespace: ptr.To("garden-p")}}
	labels := func(value string) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchLabels: map[string]string{"a": value}}
	}
	broken := &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "?"}}}
	brokenShoots := preset("x", nil)
	brokenShoots.Spec.ShootSelector = broken
	for name, tc := range map[string]struct {
		objects       initializer.Objects
		want, refused string
	}{
		"ADM-2 a preset for the project fills the configuration": {admissiontest.Objects{project, preset("x", labels("b")), preset("y", labels("c"))}, "x", ""},
		"ADM-2 a preset for other projects does not":             {admissiontest.Objects{project, preset("y", labels("c"))}, "", ""},
		"a preset without selector is for all":                   {admissiontest.Objects{project, preset("x", nil)}, "x", ""},
		"a namespace without project gets none":                  {admissiontest.Objects{preset("x", nil)}, "", ""},
		"no presets":                                             {admissiontest.Objects{project}, "", ""},
		"a failed look-up is an internal error":                  {admissiontest.Broken{Err: errors.New("boom")}, "", "Internal error"},
		"a failed look-up of the project, too":                   {noProjects{admissiontest.Objects{preset("x", nil)}}, "", "Internal error"},
		"a broken selector of projects, too":                     {admissiontest.Objects{project, preset("x", broken)}, "", "project selector"},
		"a broken selector of shoots, too":                       {admissiontest.Objects{project, brokenShoots}, "", "shoot selector"},
	} {
		t.Run(name, func(t *testing.T) {
			p := admissiontest.New[*Plugin](Register)
			p.SetObjects(tc.objects)
			s := &core.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p"}}
			admissiontest.WantError(t, admissiontest.Admit(p, admissiontest.Create(s)), tc.refused)
			var got string
			if server := s.Spec.Kubernetes.KubeAPIServer; server != nil {
				got = *server.OIDCConfig.ClientID
			}
			if got != tc.want {
				t.Errorf("preset is %q, want %q", got, tc.want)
			}
		})
	}
	t.Run("ADM-2 a shoot that has a configuration, from whatever, keeps it", func(t *testing.T) {
		p := admissiontest.New[*Plugin](Register)
		p.SetObjects(admissiontest.Objects{project, preset("x", nil)})
		s := &core.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p"}}
		s.Spec.Kubernetes.KubeAPIServer = &core.KubeAPIServerConfig{OIDCConfig: &core.OIDCConfig{ClientID: ptr.To("own")}}
		admissiontest.WantError(t, admissiontest.Admit(p, admissiontest.Create(s)), "")
		if got := *s.Spec.Kubernetes.KubeAPIServer.OIDCConfig.ClientID; got != "own" {
			t.Errorf("client is %q", got)
		}
	})
}
