package kubeapiserver

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/kubeversion"
)

func values(config *gardencorev1beta1.KubeAPIServerConfig) Values {
	return Values{
		Image: "gardener", Namespace: "shoot--sky--sun", Replicas: 1, Version: "1.36.3", Config: config,
		SeedRanges: []string{"10.96.0.0/16"}, NodesInSeed: true, PrivateNetworks: []string{"192.168.0.0/16"}, SimulatedRanges: []string{"100.64.0.0/13"}, FrontDoors: []string{"127.0.0.1:8443"},
		AdvertiseAddress: "127.96.0.7", ServiceCIDR: "100.64.0.0/13", Hostname: "api.sun", Issuer: "https://api.sun",
		HealthToken: "secret", Encryption: []EncryptionKeyData{{Name: "key1", Secret: "c2VjcmV0"}},
		Secrets: Secrets{
			Server: "server", CAClientBundle: "ca-client", CAEtcdBundle: "ca-etcd", CAFrontProxy: "ca-front-proxy", CAKubeletBundle: "ca-kubelet",
			EtcdClient: "etcd-client", KubeletClient: "kubelet", Aggregator: "aggregator", ServiceAccount: "sa", ServiceAccountOld: "sa-bundle", StaticToken: "token",
		},
	}
}

// deployed returns the flags, and the objects beside the Deployment by the name of their files.
func deployed(t *testing.T, v Values) (args []string, files map[string]string, container corev1.Container) {
	t.Helper()
	objects, deployment, err := Objects(v)
	if err != nil {
		t.Fatal(err)
	}
	files = map[string]string{}
	for _, object := range objects {
		switch typed := object.(type) {
		case *corev1.ConfigMap:
			for key, content := range typed.Data {
				files[key] = content
			}
		case *corev1.Secret:
			for key, content := range typed.Data {
				files[key] = string(content)
			}
		}
	}
	container = deployment.Spec.Template.Spec.Containers[0]
	return container.Args, files, container
}

func TestPod(t *testing.T) {
	args, _, container := deployed(t, values(nil))
	t.Run("ARC-4 it is a component of the appliance image, once", func(t *testing.T) {
		_, deployment, _ := Objects(values(nil))
		if container.Image != "gardener" || !slices.Equal(args[:2], []string{"component", "kube-apiserver"}) || *deployment.Spec.Replicas != 1 {
			t.Errorf("image %q, args %q", container.Image, args[:2])
		}
	})
	t.Run("files are named relative to the working directory, and each is mounted", func(t *testing.T) {
		for _, arg := range args[2:] {
			name, value, _ := strings.Cut(arg, "=")
			if !strings.HasSuffix(name, "-file") && !strings.HasSuffix(name, "file") && !strings.HasSuffix(name, "-config") {
				continue
			}
			if strings.HasPrefix(value, "/") {
				t.Errorf("%s is absolute", arg)
			}
			if !strings.Contains(value, "/") {
				continue
			}
			mounted := slices.ContainsFunc(container.VolumeMounts, func(m corev1.VolumeMount) bool { return strings.HasPrefix("/"+value, m.MountPath+"/") })
			if !mounted {
				t.Errorf("%s is not mounted", arg)
			}
		}
	})
	t.Run("it listens on the pod's own address above 1024", func(t *testing.T) {
		for _, want := range []string{"--bind-address=$(POD_IP)", "--secure-port=6443"} {
			if !slices.Contains(args, want) {
				t.Errorf("%s is missing", want)
			}
		}
	})
	t.Run("probes need no anonymous access", func(t *testing.T) {
		if header := container.ReadinessProbe.HTTPGet.HTTPHeaders[0]; header.Value != "Bearer secret" || container.ReadinessProbe.PeriodSeconds != 1 {
			t.Errorf("readiness probe: %+v", container.ReadinessProbe)
		}
	})
}

func TestFlags(t *testing.T) {
	all := &gardencorev1beta1.KubeAPIServerConfig{
		KubernetesConfig: gardencorev1beta1.KubernetesConfig{FeatureGates: map[string]bool{"B": false, "A": true}},
		RuntimeConfig:    map[string]bool{"batch/v1": true, "autoscaling/v1": false},
		OIDCConfig: &gardencorev1beta1.OIDCConfig{
			CABundle: ptr.To("PEM"), ClientID: ptr.To("id"), IssuerURL: ptr.To("https://issuer"), GroupsClaim: ptr.To("groups"), GroupsPrefix: ptr.To("g:"),
			UsernameClaim: ptr.To("sub"), UsernamePrefix: ptr.To("u:"), SigningAlgs: []string{"RS256", "ES256"}, RequiredClaims: map[string]string{"b": "2", "a": "1"},
		},
		AdmissionPlugins: []gardencorev1beta1.AdmissionPlugin{
			{Name: "PodNodeSelector", Config: &runtime.RawExtension{Raw: []byte(`{"podNodeSelectorPluginConfig":{}}`)}}, {Name: "AlwaysPullImages"}, {Name: "LimitRanger", Disabled: ptr.To(true)},
		},
		Requests:                      &gardencorev1beta1.APIServerRequests{MaxNonMutatingInflight: ptr.To[int32](300), MaxMutatingInflight: ptr.To[int32](100)},
		WatchCacheSizes:               &gardencorev1beta1.WatchCacheSizes{Default: ptr.To[int32](50), Resources: []gardencorev1beta1.ResourceWatchCacheSize{{APIGroup: ptr.To("apps"), Resource: "deployments", CacheSize: 9}, {Resource: "pods", CacheSize: 7}}},
		EventTTL:                      &metav1.Duration{Duration: 2 * time.Hour},
		APIAudiences:                  []string{"mine"},
		EncryptionConfig:              &gardencorev1beta1.EncryptionConfig{Resources: []string{"configmaps"}, Provider: gardencorev1beta1.EncryptionProvider{Type: ptr.To(gardencorev1beta1.EncryptionProviderTypeAESGCM)}},
		EnableAnonymousAuthentication: ptr.To(true),
		ServiceAccountConfig:          &gardencorev1beta1.ServiceAccountConfig{AcceptedIssuers: []string{"https://old"}, MaxTokenExpiration: &metav1.Duration{Duration: 720 * time.Hour}, ExtendTokenExpiration: ptr.To(true)},
	}
	audited := values(all)
	audited.AuditPolicy = "policy"
	for name, tc := range map[string]struct {
		values       Values
		want, absent []string
	}{
		"API-18 what the Shoot says becomes flags": {values: audited, want: []string{
			"--feature-gates=A=true,B=false", "--runtime-config=autoscaling/v1=false,batch/v1=true",
			"--oidc-issuer-url=https://issuer", "--oidc-client-id=id", "--oidc-ca-file=etc/kubernetes/oidc/ca.crt", "--oidc-groups-claim=groups", "--oidc-groups-prefix=g:",
			"--oidc-username-claim=sub", "--oidc-username-prefix=u:", "--oidc-signing-algs=RS256,ES256", "--oidc-required-claim=a=1", "--oidc-required-claim=b=2",
			"--enable-admission-plugins=AlwaysPullImages,NodeRestriction,PodNodeSelector", "--disable-admission-plugins=LimitRanger",
			"--admission-control-config-file=etc/kubernetes/admission/admission-configuration.yaml", "--audit-policy-file=etc/kubernetes/audit/audit-policy.yaml",
			"--max-requests-inflight=300", "--max-mutating-requests-inflight=100", "--default-watch-cache-size=50", "--watch-cache-sizes=deployments.apps#9,pods#7",
			"--event-ttl=2h0m0s", "--api-audiences=mine,gardener", "--anonymous-auth=true", "--service-account-issuer=https://api.sun", "--service-account-issuer=https://old",
			"--service-account-max-token-expiration=720h0m0s", "--service-account-extend-token-expiration=true",
		}},
		"ETC-1 events go to an etcd of their own": {values: values(nil), want: []string{
			"--etcd-servers=https://etcd-main-client.shoot--sky--sun.svc:2379", "--etcd-servers-overrides=/events#https://etcd-events-client.shoot--sky--sun.svc:2379",
		}},
		"a Shoot that says nothing gets the defaults": {values: values(nil),
			want:   []string{"--anonymous-auth=false", "--max-requests-inflight=400", "--event-ttl=1h0m0s", "--api-audiences=kubernetes,gardener", "--enable-admission-plugins=NodeRestriction"},
			absent: []string{"--oidc-", "--audit-", "--admission-control-config-file", "--feature-gates", "--runtime-config", "--default-watch-cache-size"},
		},
		"SNI-8 the Service in the shoot points to the cluster IP in the seed": {values: values(nil), want: []string{"--advertise-address=127.96.0.7"}},
		"a cluster without workers knows no kubelets": {values: func() Values { v := values(&gardencorev1beta1.KubeAPIServerConfig{}); v.Workerless = true; return v }(),
			want: []string{"--enable-bootstrap-token-auth=false"}, absent: []string{"--kubelet-", "--default-not-ready"}},
		"an older version is emulated": {values: func() Values { v := values(&gardencorev1beta1.KubeAPIServerConfig{}); v.Version = "1.34.1"; return v }(), want: []string{"--emulated-version=1.34", "--kubernetes-version=v1.34.1"}},
		"the version of the binary is emulated, too": {values: func() Values {
			v := values(&gardencorev1beta1.KubeAPIServerConfig{})
			v.Version = kubeversion.Minor + ".0"
			return v
		}(), want: []string{"--emulated-version=" + kubeversion.Minor}},
		"a document about authentication replaces flags": {values: func() Values { v := values(all); v.Authentication = authentication; return v }(),
			want: []string{"--authentication-config=etc/kubernetes/authentication/config.yaml"}, absent: []string{"--oidc-", "--anonymous-auth"}},
	} {
		t.Run(name, func(t *testing.T) {
			args, _, _ := deployed(t, tc.values)
			for _, want := range tc.want {
				if !slices.Contains(args, want) {
					t.Errorf("%s is missing", want)
				}
			}
			for _, absent := range tc.absent {
				if i := slices.IndexFunc(args, func(arg string) bool { return strings.HasPrefix(arg, absent) }); i >= 0 {
					t.Errorf("%s should not be there", args[i])
				}
			}
		})
	}
}

func TestFiles(t *testing.T) {
	t.Run("secrets are encrypted, and what the Shoot names; the newest key writes", func(t *testing.T) {
		v := values(&gardencorev1beta1.KubeAPIServerConfig{EncryptionConfig: &gardencorev1beta1.EncryptionConfig{Resources: []string{"configmaps"}}})
		v.Encryption = append(v.Encryption, EncryptionKeyData{Name: "key0", Secret: "b2xk"})
		_, files, _ := deployed(t, v)
		want := `apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
- providers:
  - aescbc:
      keys:
      - name: key1
        secret: c2VjcmV0
      - name: key0
        secret: b2xk
  - identity: {}
  resources:
  - secrets
  - configmaps
`
		if diff := cmp.Diff(want, files["encryption-configuration.yaml"]); diff != "" {
			t.Errorf("encryption configuration (-want +got):\n%s", diff)
		}
	})
	t.Run("CAR-14 what leaves the list, and another cipher, stay readable", func(t *testing.T) {
		v := values(&gardencorev1beta1.KubeAPIServerConfig{EncryptionConfig: &gardencorev1beta1.EncryptionConfig{
			Provider: gardencorev1beta1.EncryptionProvider{Type: ptr.To(gardencorev1beta1.EncryptionProviderTypeSecretbox)},
		}})
		v.NoLongerEncrypted, v.FormerProvider = []string{"configmaps"}, gardencorev1beta1.EncryptionProviderTypeAESCBC
		_, files, _ := deployed(t, v)
		want := `apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
- providers:
  - secretbox:
      keys:
      - name: key1
        secret: c2VjcmV0
  - aescbc:
      keys:
      - name: key1
        secret: c2VjcmV0
  - identity: {}
  resources:
  - secrets
- providers:
  - identity: {}
  - secretbox:
      keys:
      - name: key1
        secret: c2VjcmV0
  - aescbc:
      keys:
      - name: key1
        secret: c2VjcmV0
  resources:
  - configmaps
`
		if diff := cmp.Diff(want, files["encryption-configuration.yaml"]); diff != "" {
			t.Errorf("encryption configuration (-want +got):\n%s", diff)
		}
	})
	t.Run("CAR-14 the Deployment names the new key that all servers have, and its pods stay", func(t *testing.T) {
		_, before, _ := Objects(values(nil))
		v := values(nil)
		v.PopulatedKeys = map[string]string{"credentials.gardener.cloud/new-encryption-key-populated": "key-2"}
		_, after, _ := Objects(v)
		if after.Annotations["credentials.gardener.cloud/new-encryption-key-populated"] != "key-2" {
			t.Errorf("annotations are %v", after.Annotations)
		}
		if diff := cmp.Diff(before.Spec.Template, after.Spec.Template); diff != "" {
			t.Errorf("pods change (-before +after):\n%s", diff)
		}
	})
	t.Run("API-18 configurations of admission plugins become a file, with their kubeconfigs", func(t *testing.T) {
		v := values(&gardencorev1beta1.KubeAPIServerConfig{AdmissionPlugins: []gardencorev1beta1.AdmissionPlugin{
			{Name: "ImagePolicyWebhook", Config: &runtime.RawExtension{Raw: []byte(`{"imagePolicy":{}}`)}},
		}})
		v.PluginKubeconfigs = map[string][]byte{"ImagePolicyWebhook": []byte(kubeconfig)}
		_, files, _ := deployed(t, v)
		want := `apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- configuration:
    imagePolicy:
      kubeConfigFile: /proc/self/cwd/etc/kubernetes/admission/ImagePolicyWebhook-kubeconfig.yaml
  name: ImagePolicyWebhook
  path: ""
`
		if diff := cmp.Diff(want, files["admission-configuration.yaml"]); diff != "" {
			t.Errorf("admission configuration (-want +got):\n%s", diff)
		}
		if !strings.Contains(files["ImagePolicyWebhook-kubeconfig.yaml"], "token: t") {
			t.Error("the kubeconfig is missing")
		}
	})
	t.Run("another content has another name, so that pods are replaced", func(t *testing.T) {
		name := func(policy string) string {
			v := values(&gardencorev1beta1.KubeAPIServerConfig{})
			v.AuditPolicy = policy
			objects, _, err := Objects(v)
			if err != nil {
				t.Fatal(err)
			}
			for _, object := range objects {
				if strings.HasPrefix(object.GetName(), "audit-policy-config") {
					return object.GetName()
				}
			}
			return ""
		}
		if a, again, b := name("a"), name("a"), name("b"); a == b || a != again || a == "" {
			t.Errorf("names: %q, %q, %q", a, again, b)
		}
	})
}

func TestRoute(t *testing.T) {
	t.Run("SNI-2 the front door passes TLS on to the Service by the names of the API server", func(t *testing.T) {
		hosts := []string{"api.sun.external", "api.sun.internal"}
		gateway, route := Route("shoot--sky--sun", hosts, map[string]string{"app": "istio-ingressgateway"})
		server := gateway.Spec.Servers[0]
		if server.Port.Number != 443 || server.Port.Protocol != "TLS" || server.TLS.Mode != "PASSTHROUGH" || !slices.Equal(server.Hosts, hosts) {
			t.Errorf("gateway: %+v", server)
		}
		tls := route.Spec.TLS[0]
		if !slices.Equal(tls.Match[0].SniHosts, hosts) || tls.Route[0].Destination.Host != "kube-apiserver.shoot--sky--sun.svc.cluster.local" || tls.Route[0].Destination.Port.Number != 443 {
			t.Errorf("route: %+v", tls)
		}
	})
	t.Run("SNI-1 GLT-24 the Service is a ClusterIP with a port above 1024, too", func(t *testing.T) {
		service := Service("shoot--sky--sun")
		if service.Spec.Type != corev1.ServiceTypeClusterIP || service.Spec.Ports[0].Port != 443 || service.Spec.Ports[1].Port != 6443 {
			t.Errorf("service: %+v", service.Spec)
		}
	})
}

func TestAllowedIssuerHosts(t *testing.T) {
	v := values(&gardencorev1beta1.KubeAPIServerConfig{})
	v.AllowedIssuerHosts = []string{"login.example.org"}
	for _, flag := range arguments(v, files{}) {
		if strings.HasPrefix(flag, "--guard-hosts=") {
			if !strings.HasSuffix(flag, ",login.example.org") {
				t.Errorf("names of issuers are not allowed: %s", flag)
			}
			return
		}
	}
	t.Error("no flag names the allowed hosts")
}
