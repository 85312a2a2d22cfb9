package core

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestTaintsTolerated(t *testing.T) {
	for name, tc := range map[string]struct {
		taints      []core.SeedTaint
		tolerations []core.Toleration
		want        bool
	}{
		"a seed without taints is open to all": {want: true},
		"TOL-2 a seed with one taint not tolerated is closed": {
			taints:      []core.SeedTaint{{Key: "a"}, {Key: "b"}},
			tolerations: []core.Toleration{{Key: "a"}},
		},
		"TOL-2 a seed with all taints tolerated is open": {
			taints:      []core.SeedTaint{{Key: "a"}, {Key: "b"}},
			tolerations: []core.Toleration{{Key: "b"}, {Key: "a"}}, want: true,
		},
		"a toleration without value covers every value": {
			taints: []core.SeedTaint{{Key: "a", Value: new("x")}}, tolerations: []core.Toleration{{Key: "a"}}, want: true,
		},
		"a toleration of another value covers nothing": {
			taints: []core.SeedTaint{{Key: "a", Value: new("x")}}, tolerations: []core.Toleration{{Key: "a", Value: new("y")}},
		},
		"a toleration with value does not cover a taint without": {
			taints: []core.SeedTaint{{Key: "a"}}, tolerations: []core.Toleration{{Key: "a", Value: new("y")}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := TaintsTolerated(tc.taints, tc.tolerations); got != tc.want {
				t.Errorf("TaintsTolerated = %t, want %t", got, tc.want)
			}
		})
	}
}

func TestTechnicalID(t *testing.T) {
	id := TechnicalID("local", "my-shoot")
	if id != "shoot--local--my-shoot" {
		t.Fatalf("ARC-2 technical ID is %q", id)
	}
	project, shoot, ok := ParseTechnicalID(id)
	if project != "local" || shoot != "my-shoot" || !ok {
		t.Errorf("parsed %q, %q, %t", project, shoot, ok)
	}
	if _, _, ok := ParseTechnicalID("extension-local"); ok {
		t.Error("a foreign name was parsed")
	}
}

func TestHibernationState(t *testing.T) {
	for _, tc := range []struct {
		enabled, hibernated bool
		want                HibernationState
	}{{true, true, Hibernated}, {true, false, Hibernating}, {false, true, WakingUp}, {false, false, Awake}} {
		shoot := &core.Shoot{Spec: core.ShootSpec{Hibernation: &core.Hibernation{Enabled: &tc.enabled}}}
		shoot.Status.IsHibernated = tc.hibernated
		if got := HibernationStateOf(shoot); got != tc.want {
			t.Errorf("enabled %t, hibernated %t: %s, want %s", tc.enabled, tc.hibernated, got, tc.want)
		}
	}
}

func TestCodesOfMessage(t *testing.T) {
	for name, tc := range map[string]struct {
		message string
		want    []core.ErrorCode
	}{
		"an unknown message has no code":                     {message: "boom"},
		"GLT-37 throttling is told from a quota":             {"RequestLimitExceeded: slow down", []core.ErrorCode{core.ErrorInfraRateLimitsExceeded}},
		"GLT-37 a used up quota":                             {"Quota exceeded for cores", []core.ErrorCode{core.ErrorInfraQuotaExceeded}},
		"GLT-37 wrong credentials":                           {"status 401: invalid_grant", []core.ErrorCode{core.ErrorInfraUnauthenticated}},
		"GLT-37 missing permissions":                         {"AuthorizationFailed: the client may not do this", []core.ErrorCode{core.ErrorInfraUnauthorized}},
		"GLT-37 what depends on something":                   {"DependencyViolation: the subnet has interfaces", []core.ErrorCode{core.ErrorInfraDependencies}},
		"GLT-37 no machines left":                            {"InsufficientInstanceCapacity in zone a", []core.ErrorCode{core.ErrorInfraResourcesDepleted}},
		"GLT-37 a budget that blocks a drain may heal":       {"cannot evict pod as it would violate the pod's disruption budget", []core.ErrorCode{core.ErrorRetryableConfigurationProblem}},
		"GLT-37 a parameter that the infrastructure refuses": {"InvalidParameterValue: volume type", []core.ErrorCode{core.ErrorConfigurationProblem}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, CodesOfMessage(tc.message)); diff != "" {
				t.Errorf("codes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestHasNonRetryableCode(t *testing.T) {
	if HasNonRetryableCode(core.ErrorInfraResourcesDepleted, core.ErrorCleanupClusterResources) {
		t.Error("codes that are retried count as final")
	}
	if !HasNonRetryableCode(core.ErrorInfraResourcesDepleted, core.ErrorInfraUnauthorized) {
		t.Error("missing permission does not count as final")
	}
}

func TestTimeWindow(t *testing.T) {
	window, err := ParseTimeWindow(core.MaintenanceTimeWindow{Begin: "233000+0100", End: "003000+0100"})
	if err != nil {
		t.Fatal(err)
	}
	if window.Length() != time.Hour {
		t.Errorf("length is %s", window.Length())
	}
	at := func(hour, minute int) time.Time { return time.Date(2026, 1, 2, hour, minute, 0, 0, time.UTC) }
	for moment, want := range map[time.Time]bool{at(22, 29): false, at(22, 30): true, at(23, 29): true, at(23, 30): false} {
		if got := window.Contains(moment); got != want {
			t.Errorf("window contains %s: %t, want %t", moment, got, want)
		}
	}
	if got, want := window.NextBegin(at(22, 30)), at(22, 30).Add(24*time.Hour); !got.Equal(want) {
		t.Errorf("next begin is %s, want %s", got, want)
	}
	if got, want := window.NextBegin(at(1, 0)), at(22, 30); !got.Equal(want) {
		t.Errorf("next begin is %s, want %s", got, want)
	}
	if _, err := ParseTimeWindow(core.MaintenanceTimeWindow{Begin: "22:00", End: "230000+0000"}); err == nil {
		t.Error("a malformed begin was parsed")
	}
}

func TestSyncCloudProfile(t *testing.T) {
	reference := func(kind, name string) *core.CloudProfileReference {
		return &core.CloudProfileReference{Kind: kind, Name: name}
	}
	for name, tc := range map[string]struct {
		spec, want core.ShootSpec
		old        *core.ShootSpec
	}{
		"the old form fills the new one on creation": {
			spec: core.ShootSpec{CloudProfileName: new("a")},
			want: core.ShootSpec{CloudProfileName: new("a"), CloudProfile: reference(KindCloudProfile, "a")},
		},
		"an old client changes the profile": {
			old:  &core.ShootSpec{CloudProfileName: new("a"), CloudProfile: reference(KindCloudProfile, "a")},
			spec: core.ShootSpec{CloudProfileName: new("b"), CloudProfile: reference(KindCloudProfile, "a")},
			want: core.ShootSpec{CloudProfileName: new("b"), CloudProfile: reference(KindCloudProfile, "b")},
		},
		"a new client changes the profile": {
			old:  &core.ShootSpec{CloudProfileName: new("a"), CloudProfile: reference(KindCloudProfile, "a")},
			spec: core.ShootSpec{CloudProfileName: new("a"), CloudProfile: reference(KindCloudProfile, "b")},
			want: core.ShootSpec{CloudProfileName: new("b"), CloudProfile: reference(KindCloudProfile, "b")},
		},
		"the old form cannot name a namespaced profile": {
			old:  &core.ShootSpec{CloudProfileName: new("a"), CloudProfile: reference(KindCloudProfile, "a")},
			spec: core.ShootSpec{CloudProfileName: new("a"), CloudProfile: reference(KindNamespacedCloudProfile, "b")},
			want: core.ShootSpec{CloudProfile: reference(KindNamespacedCloudProfile, "b")},
		},
	} {
		t.Run(name, func(t *testing.T) {
			SyncCloudProfile(&tc.spec, tc.old)
			if diff := cmp.Diff(tc.want, tc.spec); diff != "" {
				t.Errorf("spec (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCanonicalizeMembers(t *testing.T) {
	user := func(name string) rbacv1.Subject { return rbacv1.Subject{Kind: rbacv1.UserKind, Name: name} }
	spec := core.ProjectSpec{
		Owner: new(user("new")),
		Members: []core.ProjectMember{
			{Subject: user("old"), Role: core.ProjectMemberAdmin, Roles: []string{core.ProjectMemberOwner}},
			{Subject: user("new"), Role: core.ProjectMemberViewer},
		},
	}
	CanonicalizeMembers(&spec)
	want := []core.ProjectMember{
		{Subject: user("old"), Role: core.ProjectMemberAdmin, Roles: []string{}},
		{Subject: user("new"), Role: core.ProjectMemberViewer, Roles: []string{core.ProjectMemberAdmin, core.ProjectMemberOwner}},
	}
	if diff := cmp.Diff(want, spec.Members); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
	before := *spec.DeepCopy()
	CanonicalizeMembers(&spec)
	if diff := cmp.Diff(before, spec); diff != "" {
		t.Errorf("a second time changes members:\n%s", diff)
	}
}
