package flags

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"
)

func TestBothOrdersHaveEveryFlag(t *testing.T) {
	f := process()
	f.ExternalHostname, f.TLSMinVersion, f.EgressSelectorConfig, f.HTTP2Streams = "host", "VersionTLS13", "egress", 10
	f.Tokens.AcceptedIssuers, f.Tokens.ExtendExpiration = []string{"https://old"}, ptr.To(false)
	f.BootstrapTokens, f.AnonymousAuth, f.FrontProxy.NoUIDs = ptr.To(false), ptr.To(false), true
	f.OIDC, f.TokenWebhook = OIDC{IssuerURL: "https://oidc", ClientID: "id"}, "webhook"
	f.NotReadyToleration, f.UnreachableToleration = ptr.To[int64](0), ptr.To[int64](0)
	f.Audit.LogSize, f.Audit.LogBackups = 100, 5
	f.DefaultWatchCacheSize, f.WatchCacheSizes = ptr.To[int32](0), []string{"pods#7"}
	f.Guard.Hosts, f.Guard.Allowed, f.Guard.Nodes, f.Guard.Refused = []string{"*.svc"}, []string{"127.0.0.1:8443"}, "machines.svc", []string{"10.0.0.0/8"}
	f.Guard.Private = []string{"192.168.0.0/16"}
	f.ShownVersion, f.Etcd.EncryptionReload = "v1.34.2", true
	f.Guard.Simulated = []string{"100.64.0.0/13"}
	f.EventTTL, f.LivezGracePeriod = ptr.To(time.Hour), ptr.To(time.Minute)
	f.Verbosity, f.VerbosityOfFiles = ptr.To[int32](0), "httplog=4"

	all := slices.Sorted(slices.Values(f.Args()))
	pods := slices.Sorted(slices.Values(f.PodArgs()))
	if diff := cmp.Diff(all, pods); diff != "" {
		t.Errorf("a section is not in both orders (-processes +pods):\n%s", diff)
	}
	for name, field := range settings(reflect.ValueOf(&f).Elem()) {
		if name == "AuthenticationConfig" || name == "AuthorizationConfig" { // would replace other flags
			continue
		}
		if field.IsZero() {
			t.Errorf("%s is not set in this test", name)
			continue
		}
		was := reflect.New(field.Type()).Elem()
		was.Set(field)
		field.SetZero()
		if got := slices.Sorted(slices.Values(f.Args())); slices.Equal(got, all) {
			t.Errorf("%s is no flag", name)
		}
		field.Set(was)
	}
}

// settings are the fields of the flags, and of their parts, by name.
func settings(of reflect.Value) map[string]reflect.Value {
	all := map[string]reflect.Value{}
	for i := range of.NumField() {
		name, field := of.Type().Field(i).Name, of.Field(i)
		if field.Kind() != reflect.Struct || name == "OIDC" { // OIDC counts as one
			all[name] = field
			continue
		}
		for inner, setting := range settings(field) {
			all[name+"."+inner] = setting
		}
	}
	return all
}

func TestADocumentReplacesTheModeOfAuthorization(t *testing.T) {
	got := strings.Join(Flags{AuthorizationConfig: "document", AuthorizationMode: []string{"RBAC"}}.Args(), " ")
	if !strings.HasPrefix(got, "--authorization-config=document ") || strings.Contains(got, "mode") {
		t.Errorf("args are %s", got)
	}
}

func TestADocumentReplacesFlagsAboutAuthentication(t *testing.T) {
	f := Flags{AuthenticationConfig: "document", AnonymousAuth: ptr.To(true), OIDC: OIDC{ClientID: "id"}}
	got := strings.Join(f.PodArgs(), " ")
	if !strings.HasPrefix(got, "--authentication-config=document ") || strings.Contains(got, "oidc") || strings.Contains(got, "anonymous") {
		t.Errorf("args are %s", got)
	}
}
