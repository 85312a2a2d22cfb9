package deletionconfirmation

import (
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/admissiontest"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
)

const confirmedBy = "deletion.gardener.cloud/confirmed-by"

// demanding is a project that wants two people for shoots with the label precious.
func demanding(robots *bool) initializer.Objects {
	return admissiontest.Objects{&core.Project{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: core.ProjectSpec{
		Namespace: ptr.To("garden-p"), DualApprovalForDeletion: []core.DualApprovalForDeletion{{
			Resource: "shoots", Selector: metav1.LabelSelector{MatchLabels: map[string]string{"precious": "yes"}}, IncludeServiceAccounts: robots,
		}},
	}}}
}

// shoot is precious unless its name says otherwise. Its annotations are pairs.
func shoot(name string, annotations ...string) *core.Shoot {
	s := &core.Shoot{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "garden-p", Annotations: map[string]string{}}}
	if name != "cheap" {
		s.Labels = map[string]string{"precious": "yes"}
	}
	for i := 0; i < len(annotations); i += 2 {
		s.Annotations[annotations[i]] = annotations[i+1]
	}
	return s
}

const confirmation = "confirmation.gardener.cloud/deletion"

func TestNoteOfConfirmation(t *testing.T) {
	for name, tc := range map[string]struct {
		request admission.Attributes
		want    string
	}{
		"ADM-5 who confirms is noted":                     {admissiontest.Update(shoot("a", confirmation, "true"), shoot("a")), admissiontest.User},
		"ADM-5 who creates a confirmed shoot is noted":    {admissiontest.Create(shoot("a", confirmation, "true")), admissiontest.User},
		"ADM-5 a note cannot be forged with it":           {admissiontest.Update(shoot("a", confirmation, "true", confirmedBy, "joe"), shoot("a")), admissiontest.User},
		"ADM-5 a note cannot be forged later":             {admissiontest.Update(shoot("a", confirmation, "true", confirmedBy, "joe"), shoot("a", confirmation, "true", confirmedBy, "ann")), "ann"},
		"ADM-5 a note cannot be removed":                  {admissiontest.Update(shoot("a", confirmation, "true"), shoot("a", confirmation, "true", confirmedBy, "ann")), "ann"},
		"ADM-5 a note goes with the confirmation":         {admissiontest.Update(shoot("a", confirmedBy, "ann"), shoot("a", confirmation, "true", confirmedBy, "ann")), ""},
		"a note without confirmation is not kept":         {admissiontest.Create(shoot("a", confirmedBy, "ann")), ""},
		"shoots that one person may delete have no note":  {admissiontest.Update(shoot("cheap", confirmation, "true"), shoot("cheap")), ""},
		"subresources have nothing to do with it":         {admissiontest.UpdateSub(shoot("a", confirmation, "true"), shoot("a"), "status"), ""},
		"a confirmation from before the rule has no note": {admissiontest.Update(shoot("a", confirmation, "true"), shoot("a", confirmation, "true")), ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := admissiontest.New[*Plugin](Register)
			p.SetObjects(demanding(nil))
			admissiontest.WantError(t, admissiontest.Admit(p, tc.request), "")
			if got := tc.request.GetObject().(*core.Shoot).Annotations[confirmedBy]; got != tc.want {
				t.Errorf("noted %q, want %q", got, tc.want)
			}
		})
	}
	t.Run("a failed look-up is an internal error", func(t *testing.T) {
		p := admissiontest.New[*Plugin](Register)
		p.SetObjects(admissiontest.Broken{Err: errors.New("boom")})
		admissiontest.WantError(t, admissiontest.Admit(p, admissiontest.Create(shoot("a", confirmation, "true"))), "Internal error")
	})
}

func TestTwoPeople(t *testing.T) {
	const robot = "system:serviceaccount:garden-p:robot"
	deleting := func(s *core.Shoot, by string) admission.Attributes {
		return admission.NewAttributesRecord(nil, s, core.SchemeGroupVersion.WithKind("Shoot"), s.Namespace, s.Name, core.SchemeGroupVersion.WithResource("shoots"), "",
			admission.Delete, &metav1.DeleteOptions{}, false, &user.DefaultInfo{Name: by})
	}
	for name, tc := range map[string]struct {
		objects initializer.Objects
		request admission.Attributes
		refused string
	}{
		"ADM-5 who confirmed does not delete":           {demanding(nil), deleting(shoot("a", confirmation, "true", confirmedBy, "ann"), "ann"), `"ann" has confirmed`},
		"ADM-5 somebody else deletes":                   {demanding(nil), deleting(shoot("a", confirmation, "true", confirmedBy, "ann"), "joe"), ""},
		"ADM-5 nobody deletes without confirmation":     {demanding(nil), deleting(shoot("a"), "joe"), "must have the annotation"},
		"ADM-5 a confirmation without note is not one":  {demanding(nil), deleting(shoot("a", confirmation, "true"), "joe"), "set anew by somebody else"},
		"ADM-5 robots are people":                       {demanding(nil), deleting(shoot("a", confirmation, "true", confirmedBy, robot), robot), "has confirmed"},
		"ADM-5 robots may be let alone":                 {demanding(ptr.To(false)), deleting(shoot("a", confirmation, "true", confirmedBy, robot), robot), ""},
		"other shoots":                                  {demanding(nil), deleting(shoot("cheap", confirmation, "true"), "ann"), ""},
		"a shoot outside of projects":                   {admissiontest.Objects{}, deleting(shoot("a", confirmation, "true"), "ann"), ""},
		"a failed look-up is an internal error as well": {admissiontest.Broken{Err: errors.New("boom")}, deleting(shoot("a", confirmation, "true"), "ann"), "Internal error"},
	} {
		t.Run(name, func(t *testing.T) {
			p := admissiontest.New[*Plugin](Register)
			p.SetObjects(tc.objects)
			admissiontest.WantError(t, admissiontest.Admit(p, tc.request), tc.refused)
		})
	}
}
