package operation

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

func TestInternalDomain(t *testing.T) {
	for name, tc := range map[string]struct{ domain, want string }{
		"GLT-26 the label internal is put in": {"example.org", "sun.sky.internal.example.org"},
		"GLT-26 unless the domain has it":     {"internal.example.org", "sun.sky.internal.example.org"},
		"a label that only begins so is none": {"internals.example.org", "sun.sky.internal.internals.example.org"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := InternalDomain("sun", "sky", tc.domain); got != tc.want {
				t.Errorf("domain is %q, want %q", got, tc.want)
			}
		})
	}
}

func domainSecret(role, domain, priority string) corev1.Secret {
	return corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		Labels:      map[string]string{"gardener.cloud/role": role},
		Annotations: map[string]string{"dns.gardener.cloud/domain": domain, "dns.gardener.cloud/provider": "local", "dns.gardener.cloud/domain-default-priority": priority},
	}}
}

func TestDomainsAreTheCopiesForTheSeed(t *testing.T) {
	original, theirs := domainSecret("internal-domain", "original.example.org", ""), domainSecret("internal-domain", "theirs.example.org", "")
	original.Name, original.Namespace = "internal", "garden"
	theirs.Name, theirs.Namespace = "internal", "seed-b"
	garden := fake.NewClientBuilder().WithObjects(&original, &theirs).Build()
	o := &Operation{Seed: &gardencorev1beta1.Seed{}, Shoot: &gardencorev1beta1.Shoot{}}
	o.Seed.Name = "a"
	t.Run("GAC-8 the originals and copies of others are not asked for", func(t *testing.T) {
		if err := o.loadDomains(t.Context(), garden); err == nil || !strings.Contains(err.Error(), `namespace "seed-a" has no copy`) {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("GAC-8 the copy is used", func(t *testing.T) {
		ours := domainSecret("internal-domain", "ours.example.org", "")
		ours.Name, ours.Namespace = "internal", "seed-a"
		if err := garden.Create(t.Context(), &ours); err != nil {
			t.Fatal(err)
		}
		if err := o.loadDomains(t.Context(), garden); err != nil || !strings.HasSuffix(o.Internal.Name, "ours.example.org") {
			t.Errorf("internal domain is %+v, error %v", o.Internal, err)
		}
	})
}

// elsewhere is a domain below no default domain.
func elsewhere(providers ...gardencorev1beta1.DNSProvider) *gardencorev1beta1.DNS {
	return &gardencorev1beta1.DNS{Domain: ptr.To("sun.org"), Providers: providers}
}

func TestExternalDomain(t *testing.T) {
	secrets := []corev1.Secret{
		domainSecret("internal-domain", "internal.example.org", ""), domainSecret("default-domain", "example.org", ""), domainSecret("default-domain", "shoots.example.org", "5"),
	}
	for name, tc := range map[string]struct {
		dns     *gardencorev1beta1.DNS
		deleted bool
		want    *Domain
		refused string
	}{
		"a Shoot without a domain has none": {},
		"a domain below a default domain is made with its credentials": {
			dns: &gardencorev1beta1.DNS{Domain: ptr.To("sun.sky.example.org")}, want: &Domain{Name: "sun.sky.example.org", Provider: "local"},
		},
		"an unmanaged domain is left alone": {
			dns: &gardencorev1beta1.DNS{Domain: ptr.To("sun.sky.example.org"), Providers: []gardencorev1beta1.DNSProvider{{Type: ptr.To("unmanaged"), Primary: ptr.To(true)}}},
		},
		"an unmanaged domain is left alone without a primary provider, too": {
			dns: &gardencorev1beta1.DNS{Domain: ptr.To("sun.sky.example.org"), Providers: []gardencorev1beta1.DNSProvider{{Type: ptr.To("unmanaged")}}},
		},
		"an unmanaged domain is left alone whatever other provider is primary": {
			dns: &gardencorev1beta1.DNS{Domain: ptr.To("sun.sky.example.org"), Providers: []gardencorev1beta1.DNSProvider{{Type: ptr.To("unmanaged")}, {Type: ptr.To("local"), SecretName: ptr.To("dns"), Primary: ptr.To(true)}}},
		},
		"GLT-26 a domain elsewhere needs a provider":     {dns: elsewhere(), refused: `no default domain contains the domain "sun.org"`},
		"GLT-26 a provider needs a type":                 {dns: elsewhere(gardencorev1beta1.DNSProvider{SecretName: ptr.To("dns"), Primary: ptr.To(true)}), refused: "has no type"},
		"GLT-26 a provider needs credentials":            {dns: elsewhere(gardencorev1beta1.DNSProvider{Type: ptr.To("local"), Primary: ptr.To(true)}), refused: "has no credentials"},
		"GLT-26 a provider needs credentials that exist": {dns: elsewhere(gardencorev1beta1.DNSProvider{Type: ptr.To("local"), SecretName: ptr.To("dns"), Primary: ptr.To(true)}), refused: `the secret "dns"`},
		"GLT-26 a deletion needs no provider":            {dns: elsewhere(), deleted: true, want: &Domain{Name: "sun.org"}},
		"GLT-26 a deletion needs no credentials":         {dns: elsewhere(gardencorev1beta1.DNSProvider{Type: ptr.To("local"), SecretName: ptr.To("dns"), Primary: ptr.To(true)}), deleted: true, want: &Domain{Name: "sun.org"}},
	} {
		t.Run(name, func(t *testing.T) {
			op := &Operation{Shoot: &gardencorev1beta1.Shoot{Spec: gardencorev1beta1.ShootSpec{DNS: tc.dns}}}
			if tc.deleted {
				op.Shoot.DeletionTimestamp = &metav1.Time{Time: time.Now()}
			}
			got, err := op.externalDomain(t.Context(), fake.NewClientBuilder().Build(), secrets)
			if tc.refused != "" {
				if err == nil || !strings.Contains(err.Error(), tc.refused) || !slices.Equal(contract.Codes(err), []gardencorev1beta1.ErrorCode{"ERR_CONFIGURATION_PROBLEM"}) {
					t.Errorf("error is %v with codes %v", err, contract.Codes(err))
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("domain (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("of two default domains the one with the higher priority counts", func(t *testing.T) {
		if got := defaultDomainFor("sun.shoots.example.org", secrets); got.Annotations["dns.gardener.cloud/domain"] != "shoots.example.org" {
			t.Errorf("domain is %q", got.Annotations["dns.gardener.cloud/domain"])
		}
	})
}

func TestExternalDomainOfAProvider(t *testing.T) {
	theirs := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-sky", Name: "acme"}, Data: map[string][]byte{"token": []byte("acme")}}
	infrastructure := &corev1.Secret{Data: map[string][]byte{"token": []byte("infrastructure")}}
	garden := fake.NewClientBuilder().WithObjects(theirs).Build()
	provider := func(change func(*gardencorev1beta1.DNSProvider)) gardencorev1beta1.DNSProvider {
		p := gardencorev1beta1.DNSProvider{Type: ptr.To("acme-dns"), Primary: ptr.To(true)}
		change(&p)
		return p
	}
	for name, tc := range map[string]struct {
		provider gardencorev1beta1.DNSProvider
		shoots   *corev1.Secret
		want     *Domain
		refused  string
	}{
		"API-23 the provider's own credentials count": {
			provider: provider(func(p *gardencorev1beta1.DNSProvider) { p.SecretName = ptr.To("acme") }), shoots: infrastructure,
			want: &Domain{Name: "sun.org", Provider: "acme-dns", Credentials: theirs.Data},
		},
		"API-23 by reference, too": {
			provider: provider(func(p *gardencorev1beta1.DNSProvider) {
				p.CredentialsRef = &autoscalingv1.CrossVersionObjectReference{APIVersion: "v1", Kind: "Secret", Name: "acme"}
			}),
			want: &Domain{Name: "sun.org", Provider: "acme-dns", Credentials: theirs.Data},
		},
		"API-23 without any those of the infrastructure do": {
			provider: provider(func(*gardencorev1beta1.DNSProvider) {}), shoots: infrastructure,
			want: &Domain{Name: "sun.org", Provider: "acme-dns", Credentials: infrastructure.Data},
		},
		"API-23 with neither nothing can be published": {
			provider: provider(func(*gardencorev1beta1.DNSProvider) {}), refused: "has no credentials",
		},
		"API-23 a Secret that is missing is named": {
			provider: provider(func(p *gardencorev1beta1.DNSProvider) { p.SecretName = ptr.To("gone") }), refused: `"gone"`,
		},
		"API-23 other kinds of credentials are refused": {
			provider: provider(func(p *gardencorev1beta1.DNSProvider) {
				p.CredentialsRef = &autoscalingv1.CrossVersionObjectReference{Kind: "WorkloadIdentity", Name: "acme"}
			}),
			refused: "WorkloadIdentity",
		},
		"API-23 one zone is handed on": {
			provider: provider(func(p *gardencorev1beta1.DNSProvider) {
				p.Zones = &gardencorev1beta1.DNSIncludeExclude{Include: []string{"z"}}
			}), shoots: infrastructure,
			want: &Domain{Name: "sun.org", Provider: "acme-dns", Zone: "z", Credentials: infrastructure.Data},
		},
		"API-23 of several zones the provider chooses": {
			provider: provider(func(p *gardencorev1beta1.DNSProvider) {
				p.Zones = &gardencorev1beta1.DNSIncludeExclude{Include: []string{"y", "z"}}
			}), shoots: infrastructure,
			want: &Domain{Name: "sun.org", Provider: "acme-dns", Credentials: infrastructure.Data},
		},
	} {
		t.Run(name, func(t *testing.T) {
			op := &Operation{Credentials: tc.shoots, Shoot: &gardencorev1beta1.Shoot{
				ObjectMeta: metav1.ObjectMeta{Namespace: "garden-sky"},
				Spec:       gardencorev1beta1.ShootSpec{DNS: &gardencorev1beta1.DNS{Domain: ptr.To("sun.org"), Providers: []gardencorev1beta1.DNSProvider{tc.provider}}},
			}}
			got, err := op.externalDomain(t.Context(), garden, nil)
			if tc.refused != "" {
				if err == nil || !strings.Contains(err.Error(), tc.refused) {
					t.Errorf("error is %v, want one with %s", err, tc.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("domain (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAdvertisedAddresses(t *testing.T) {
	domains := Domains{Internal: &Domain{Name: "sun.internal"}, External: &Domain{Name: "sun.external"}}
	for name, tc := range map[string]struct {
		door string
		port int
		want []gardencorev1beta1.ShootAdvertisedAddress
	}{
		"the usual port is left out": {"", 443, []gardencorev1beta1.ShootAdvertisedAddress{{Name: "external", URL: "https://api.sun.external"}, {Name: "internal", URL: "https://api.sun.internal"}}},
		"an address without names is the external one": {"127.130.1.2:8443", 443, []gardencorev1beta1.ShootAdvertisedAddress{
			{Name: "external", URL: "https://127.130.1.2:8443"}, {Name: "external-domain", URL: "https://api.sun.external"}, {Name: "internal", URL: "https://api.sun.internal"},
		}},
		"any other is part of the URL": {"", 8443, []gardencorev1beta1.ShootAdvertisedAddress{{Name: "external", URL: "https://api.sun.external:8443"}, {Name: "internal", URL: "https://api.sun.internal:8443"}}},
	} {
		t.Run(name, func(t *testing.T) {
			door, _ := netip.ParseAddrPort(tc.door) // invalid for none
			if diff := cmp.Diff(tc.want, domains.AdvertisedAddresses(door, tc.port)); diff != "" {
				t.Errorf("addresses (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNames(t *testing.T) {
	shoot := &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Name: "sun", UID: "1-2"}}
	op := &Operation{Shoot: shoot, Project: "sky", GardenIdentity: "garden"}
	if op.TechnicalID() != "shoot--sky--sun" || op.ClusterIdentity() != "shoot--sky--sun-1-2-garden" || op.BackupEntryName() != "shoot--sky--sun--1-2" {
		t.Errorf("ARC-2 names: %q, %q, %q", op.TechnicalID(), op.ClusterIdentity(), op.BackupEntryName())
	}
	shoot.Status = gardencorev1beta1.ShootStatus{TechnicalID: "shoot-sky-sun", UID: "0", ClusterIdentity: ptr.To("known")}
	if op.TechnicalID() != "shoot-sky-sun" || op.ClusterIdentity() != "known" || op.BackupEntryName() != "shoot-sky-sun--0" {
		t.Error("recorded names do not win")
	}
}

func TestRequiredExtensions(t *testing.T) {
	registrations := []gardencorev1beta1.ControllerRegistration{{Spec: gardencorev1beta1.ControllerRegistrationSpec{Resources: []gardencorev1beta1.ControllerResource{
		{Kind: "Extension", Type: "everywhere", GloballyEnabled: ptr.To(true), Lifecycle: &gardencorev1beta1.ControllerResourceLifecycle{Reconcile: ptr.To(gardencorev1beta1.BeforeKubeAPIServer)}},
		{Kind: "Extension", Type: "wanted"},
		{Kind: "Network", Type: "everywhere-too", GloballyEnabled: ptr.To(true)},
	}}}}
	workers := gardencorev1beta1.Provider{Workers: []gardencorev1beta1.Worker{{}}}
	for name, tc := range map[string]struct {
		shoot gardencorev1beta1.ShootSpec
		want  []string
	}{
		"what is enabled for all":            {gardencorev1beta1.ShootSpec{Provider: workers}, []string{"everywhere"}},
		"and what the Shoot asks for":        {gardencorev1beta1.ShootSpec{Provider: workers, Extensions: []gardencorev1beta1.Extension{{Type: "wanted"}}}, []string{"everywhere", "wanted"}},
		"but not what it opts out of":        {gardencorev1beta1.ShootSpec{Provider: workers, Extensions: []gardencorev1beta1.Extension{{Type: "everywhere", Disabled: ptr.To(true)}}}, nil},
		"nor what cannot do without workers": {gardencorev1beta1.ShootSpec{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, e := range RequiredExtensions(&gardencorev1beta1.Shoot{Spec: tc.shoot}, registrations) {
				got = append(got, e.Type)
				if want := e.Type == "everywhere"; want != (e.Reconcile == gardencorev1beta1.BeforeKubeAPIServer) {
					t.Errorf("turn of %s is %s", e.Type, e.Reconcile)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("extensions (-want +got):\n%s", diff)
			}
		})
	}
}

func TestServiceIP(t *testing.T) {
	op := &Operation{Shoot: &gardencorev1beta1.Shoot{}, Seed: &gardencorev1beta1.Seed{}}
	if ip, err := op.Networks().ServiceIP(10); err != nil || ip.String() != "100.64.0.10" {
		t.Errorf("address is %s, error %v", ip, err)
	}
}
