package scheme

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	corev1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1"
	corev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestHub(t *testing.T) {
	types := New()
	for _, version := range hubs() {
		for kind, goType := range types.KnownTypes(version) {
			if strings.HasPrefix(goType.PkgPath(), "k8s.io/") {
				continue
			}
			hub := version
			hub.Version = runtime.APIVersionInternal
			if !types.Recognizes(hub.WithKind(kind)) {
				t.Errorf("%s has no hub version", version.WithKind(kind))
			}
		}
	}
}

func TestStorageEncoding(t *testing.T) {
	types := New()
	for mediaType, begin := range map[string]string{
		runtime.ContentTypeJSON:     `{"kind":"Shoot","apiVersion":"core.gardener.cloud/v1beta1"`,
		runtime.ContentTypeProtobuf: "k8s\x00",
	} {
		t.Run(mediaType, func(t *testing.T) {
			codec, err := types.Storage(mediaType)
			if err != nil {
				t.Fatal(err)
			}
			stored, err := runtime.Encode(codec, &corev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Name: "s"}})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(string(stored), begin) {
				t.Errorf("stored is %s", stored)
			}
			json, err := types.Storage(runtime.ContentTypeJSON) // reads everything
			if err != nil {
				t.Fatal(err)
			}
			read, err := runtime.Decode(json, stored)
			if err != nil {
				t.Fatal(err)
			}
			got, ok := read.(*corev1beta1.Shoot)
			if !ok || got.Name != "s" || got.APIVersion != "" {
				t.Errorf("read %#v", read)
			}
			if got.Spec.Purpose == nil {
				t.Error("reading does not set defaults")
			}
		})
	}
	if _, err := types.Storage("application/xml"); err == nil {
		t.Error("objects can be stored as XML")
	}
}

func TestControllerDeployment(t *testing.T) {
	for name, deployment := range map[string]*corev1beta1.ControllerDeployment{
		"a chart with values":   {Type: "helm", ProviderConfig: runtime.RawExtension{Raw: []byte(`{"chart":"Y2hhcnQ=","values":{"a":1}}`)}},
		"a chart in a registry": {Type: "helm", ProviderConfig: runtime.RawExtension{Raw: []byte(`{"ociRepository":{"ref":"example.org/chart:1"}}`)}},
		"an unknown type":       {Type: "custom", ProviderConfig: runtime.RawExtension{Raw: []byte(`{"anything":["goes"]}`)}},
		"annotations of users":  {ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{"a": "b"}}, Type: "custom"},
	} {
		t.Run(name+" survives the way to v1 and back", func(t *testing.T) {
			var v1 corev1.ControllerDeployment
			var back corev1beta1.ControllerDeployment
			types := New()
			if err := types.Convert(deployment, &v1, nil); err != nil {
				t.Fatal(err)
			}
			if err := types.Convert(&v1, &back, nil); err != nil {
				t.Fatal(err)
			}
			if len(back.Annotations) == 0 {
				back.Annotations = nil
			}
			if diff := cmp.Diff(deployment, &back); diff != "" {
				t.Errorf("(-before +after):\n%s", diff)
			}
		})
	}
	t.Run("what only v1 has survives the way to v1beta1 and back", func(t *testing.T) {
		before := &corev1.ControllerDeployment{Resources: []corev1.NamedResourceReference{{Name: "x"}}, Helm: &corev1.HelmControllerDeployment{RawChart: []byte("c")}}
		var old corev1beta1.ControllerDeployment
		var after corev1.ControllerDeployment
		if err := fromV1(before, &old); err != nil {
			t.Fatal(err)
		}
		if err := toV1(&old, &after); err != nil {
			t.Fatal(err)
		}
		after.Annotations = nil
		if diff := cmp.Diff(before, &after); diff != "" {
			t.Errorf("(-before +after):\n%s", diff)
		}
	})
}

// TestRawExtensionsAreNormal: the scheduler binds a copy of the Shoot that went through JSON, and only the seed may differ.
func TestRawExtensionsAreNormal(t *testing.T) {
	types := New()
	const sent = "{\n  \"a\": [ \"<b>\" ]\n}"
	want := "{\"a\":[\"\\u003cb\\u003e\"]}"
	request := strings.ReplaceAll(`{"kind":"Shoot","apiVersion":"core.gardener.cloud/v1beta1","spec":{"provider":{"type":"local","infrastructureConfig":RAW}}}`, "RAW", sent)
	decoder := types.Codecs.DecoderToVersion(types.Codecs.UniversalDeserializer(), corev1beta1.SchemeGroupVersion)
	read, err := runtime.Decode(decoder, []byte(request))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(read.(*corev1beta1.Shoot).Spec.Provider.InfrastructureConfig.Raw); got != want {
		t.Errorf("a request has %s, want %s", got, want)
	}
	codec, err := types.Storage(runtime.ContentTypeProtobuf)
	if err != nil {
		t.Fatal(err)
	}
	former := &corev1beta1.Shoot{Spec: corev1beta1.ShootSpec{Provider: corev1beta1.Provider{Type: "local", InfrastructureConfig: &runtime.RawExtension{Raw: []byte(sent)}}}}
	stored, err := runtime.Encode(codec, former)
	if err != nil {
		t.Fatal(err)
	}
	if read, err = runtime.Decode(codec, stored); err != nil {
		t.Fatal(err)
	}
	if got := string(read.(*corev1beta1.Shoot).Spec.Provider.InfrastructureConfig.Raw); got != want {
		t.Errorf("an object that an older version stored has %s, want %s", got, want)
	}
}
