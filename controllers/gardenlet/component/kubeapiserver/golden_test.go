package kubeapiserver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/kubeversion"
)

// Another flag, or another order, restarts the control planes of all shoots. UPDATE=1 writes the files anew.
func TestFlagsStayByteForByte(t *testing.T) {
	workerless := values(nil)
	workerless.Workerless = true
	old := values(nil)
	old.Version = "1.34.1"
	document := values(everything())
	document.Authentication = authentication
	several := values(nil)
	several.EtcdMembers = 3
	full := values(everything())
	full.AuditPolicy = "policy"
	full.Egress = &Egress{Service: "proxy-server", Port: 8131, CASecret: "ca-vpn", ClientSecret: "http-proxy"}

	for name, v := range map[string]Values{
		"defaults":   values(nil),
		"workerless": workerless,
		"members":    several,
		"emulated":   old,
		"document":   document,
		"full":       full,
		"zeros":      values(zeros()),
	} {
		t.Run(name, func(t *testing.T) {
			args, _, _ := deployed(t, v)
			got := strings.ReplaceAll(strings.Join(args, "\n")+"\n", "="+kubeversion.Minor+"\n", "=<linked>\n")
			got = strings.ReplaceAll(got, "="+kubeversion.Version+"\n", "=<linked>\n")
			file := filepath.Join("testdata", "flags-"+name+".txt")
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("args (-want +got):\n%s", diff)
			}
		})
	}
}

// everything sets each field that becomes a flag.
func everything() *gardencorev1beta1.KubeAPIServerConfig {
	return &gardencorev1beta1.KubeAPIServerConfig{
		KubernetesConfig: gardencorev1beta1.KubernetesConfig{FeatureGates: map[string]bool{"B": false, "A": true}},
		RuntimeConfig:    map[string]bool{"batch/v1": true, "autoscaling/v1": false},
		OIDCConfig: &gardencorev1beta1.OIDCConfig{
			CABundle: ptr.To("PEM"), ClientID: ptr.To("id"), IssuerURL: ptr.To("https://issuer"), GroupsClaim: ptr.To("groups"), GroupsPrefix: ptr.To("g:"),
			UsernameClaim: ptr.To("sub"), UsernamePrefix: ptr.To("u:"), SigningAlgs: []string{"RS256", "ES256"}, RequiredClaims: map[string]string{"b": "2", "a": "1"},
		},
		AdmissionPlugins: []gardencorev1beta1.AdmissionPlugin{
			{Name: "PodNodeSelector", Config: &runtime.RawExtension{Raw: []byte(`{"podNodeSelectorPluginConfig":{}}`)}},
			{Name: "AlwaysPullImages"}, {Name: "LimitRanger", Disabled: ptr.To(true)},
		},
		Requests: &gardencorev1beta1.APIServerRequests{MaxNonMutatingInflight: ptr.To[int32](300), MaxMutatingInflight: ptr.To[int32](100)},
		WatchCacheSizes: &gardencorev1beta1.WatchCacheSizes{Default: ptr.To[int32](50), Resources: []gardencorev1beta1.ResourceWatchCacheSize{
			{APIGroup: ptr.To("apps"), Resource: "deployments", CacheSize: 9}, {Resource: "pods", CacheSize: 7},
		}},
		EventTTL:                            &metav1.Duration{Duration: 2 * time.Hour},
		APIAudiences:                        []string{"mine"},
		EnableAnonymousAuthentication:       ptr.To(true),
		TLSMinVersion:                       ptr.To("VersionTLS13"),
		DefaultNotReadyTolerationSeconds:    ptr.To[int64](20),
		DefaultUnreachableTolerationSeconds: ptr.To[int64](30),
		Logging:                             &gardencorev1beta1.APIServerLogging{Verbosity: ptr.To[int32](3), HTTPAccessVerbosity: ptr.To[int32](4)},
		ServiceAccountConfig: &gardencorev1beta1.ServiceAccountConfig{
			AcceptedIssuers: []string{"https://old", "https://older"}, MaxTokenExpiration: &metav1.Duration{Duration: 720 * time.Hour}, ExtendTokenExpiration: ptr.To(true),
		},
	}
}

// zeros are explicit: they are flags like other values.
func zeros() *gardencorev1beta1.KubeAPIServerConfig {
	return &gardencorev1beta1.KubeAPIServerConfig{
		OIDCConfig:                          &gardencorev1beta1.OIDCConfig{IssuerURL: ptr.To(""), ClientID: ptr.To("id")},
		Requests:                            &gardencorev1beta1.APIServerRequests{MaxNonMutatingInflight: ptr.To[int32](0), MaxMutatingInflight: ptr.To[int32](0)},
		WatchCacheSizes:                     &gardencorev1beta1.WatchCacheSizes{Default: ptr.To[int32](0)},
		EventTTL:                            &metav1.Duration{},
		EnableAnonymousAuthentication:       ptr.To(false),
		TLSMinVersion:                       ptr.To(""),
		DefaultNotReadyTolerationSeconds:    ptr.To[int64](0),
		DefaultUnreachableTolerationSeconds: ptr.To[int64](0),
		Logging:                             &gardencorev1beta1.APIServerLogging{Verbosity: ptr.To[int32](0), HTTPAccessVerbosity: ptr.To[int32](0)},
		ServiceAccountConfig:                &gardencorev1beta1.ServiceAccountConfig{MaxTokenExpiration: &metav1.Duration{}},
	}
}
