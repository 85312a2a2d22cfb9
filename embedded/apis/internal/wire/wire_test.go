package wire

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

// TestFormIsThatOfKubernetes writes types of Kubernetes by their tags and reads them by their own methods, and the
// other way round.
func TestFormIsThatOfKubernetes(t *testing.T) {
	meta := metav1.ObjectMeta{Name: "n", Labels: map[string]string{"b": "2", "a": ""}, Generation: -1, Finalizers: []string{"x", ""}}
	for name, tc := range map[string]struct{ object, empty marshaler }{
		"numbers, switches, maps of quantities": {
			&corev1.PodSpec{
				RestartPolicy: "Always", TerminationGracePeriodSeconds: ptr.To[int64](0), HostNetwork: true, Priority: ptr.To[int32](-5),
				Overhead:    corev1.ResourceList{"cpu": resource.MustParse("100m"), "memory": resource.MustParse("1Gi")},
				Tolerations: []corev1.Toleration{{Key: "a"}, {}},
			}, &corev1.PodSpec{},
		},
		"an empty object":         {&corev1.PodSpec{}, &corev1.PodSpec{}},
		"maps of bytes and texts": {&corev1.Secret{ObjectMeta: meta, Data: map[string][]byte{"k": {0, 255}}, StringData: map[string]string{"x": "y"}, Immutable: ptr.To(false)}, &corev1.Secret{}},
		"maps of lists":           {&authenticationv1.UserInfo{Username: "u", Extra: map[string]authenticationv1.ExtraValue{"a": {"1", "2"}}}, &authenticationv1.UserInfo{}},
		"a number or text":        {&networkingv1.NetworkPolicyPort{Port: ptr.To(intstr.FromString("http"))}, &networkingv1.NetworkPolicyPort{}},
	} {
		t.Run(name, func(t *testing.T) {
			ours, err := Marshal(tc.object)
			if err != nil {
				t.Fatal(err)
			}
			if err := tc.empty.Unmarshal(ours); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.object, tc.empty); diff != "" {
				t.Errorf("written by tags, read by methods (-want +got):\n%s", diff)
			}
			theirs, err := tc.object.Marshal()
			if err != nil {
				t.Fatal(err)
			}
			tc.empty.(interface{ Reset() }).Reset()
			if err := Unmarshal(theirs, tc.empty); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.object, tc.empty); diff != "" {
				t.Errorf("written by methods, read by tags (-want +got):\n%s", diff)
			}
		})
	}
}

type inner struct {
	Text string `protobuf:"bytes,1,opt,name=text"`
}

type values []string

type outer struct {
	metav1.LabelSelector `protobuf:"bytes,1,opt,name=labelSelector"`

	Flag   bool                `protobuf:"varint,2,opt,name=flag"`
	Share  *float64            `protobuf:"fixed64,3,opt,name=share"`
	Values values              `protobuf:"bytes,4,opt,name=values"`
	Inner  *inner              `protobuf:"bytes,5,opt,name=inner"`
	List   []inner             `protobuf:"bytes,6,rep,name=list"`
	Named  map[string]values   `protobuf:"bytes,7,rep,name=named"`
	Raw    []byte              `protobuf:"bytes,8,opt,name=raw"`
	Mode   uint32              `protobuf:"varint,9,opt,name=mode"`
	Maps   []map[string]values `protobuf:"bytes,10,rep,name=maps"`

	hidden string //lint:ignore U1000 the codec has to leave it alone
}

func full() *outer {
	return &outer{
		LabelSelector: metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}, Flag: true, Share: ptr.To(0.5), Values: values{"x", ""},
		Inner: &inner{}, List: []inner{{"1"}, {""}}, Named: map[string]values{"k": {"v"}}, Raw: []byte{}, Mode: 0o644,
		Maps: []map[string]values{{"a": {"b"}}, nil},
	}
}

func TestRoundTrip(t *testing.T) {
	first, err := Marshal(full())
	if err != nil {
		t.Fatal(err)
	}
	got := &outer{}
	if err := Unmarshal(first, got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(full(), got, cmp.AllowUnexported(outer{})); diff != "" {
		t.Errorf("(-written +read):\n%s", diff)
	}
	if second, err := Marshal(got); err != nil || !bytes.Equal(first, second) {
		t.Errorf("equal objects give %x and %x, %v", first, second, err)
	}
	t.Run("unknown fields of every wire type are skipped", func(t *testing.T) {
		unknown := append([]byte{0x78, 0x01, 0x79, 1, 2, 3, 4, 5, 6, 7, 8, 0x7a, 0x01, 'x', 0x7d, 1, 2, 3, 4}, first...)
		got := &outer{}
		if err := Unmarshal(unknown, got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(full(), got, cmp.AllowUnexported(outer{})); diff != "" {
			t.Errorf("(-written +read):\n%s", diff)
		}
	})
	t.Run("a message that ends early is an error", func(t *testing.T) {
		for i := 1; i < len(first); i++ {
			_ = Unmarshal(first[:i], &outer{}) // at the end of a field it is none; a panic would be the failure
		}
		if err := Unmarshal(first[:len(first)-1], &outer{}); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("got %v", err)
		}
	})
	for name, data := range map[string][]byte{
		"a length beyond the end": {0x32, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, "a number for a text": {0x28, 1}, "field 0": {0x02, 0}, "a group": {0x0b},
		"a map entry that is a number": {0x38, 1},
	} {
		t.Run(name+" is an error", func(t *testing.T) {
			if err := Unmarshal(data, &outer{}); err == nil {
				t.Error("got none")
			}
		})
	}
}

// foreigners are types of k8s.io that could hold what JSON cannot.
type foreigners struct {
	Raw     *runtime.RawExtension         `protobuf:"bytes,1,opt,name=raw"`
	JSON    map[string]apiextensions.JSON `protobuf:"bytes,2,rep,name=json"`
	Percent *intstr.IntOrString           `protobuf:"bytes,3,opt,name=percent"`
}

func TestForeign(t *testing.T) {
	raw := func(text string) *runtime.RawExtension { return &runtime.RawExtension{Raw: []byte(text)} }
	for name, tc := range map[string]struct {
		object  foreigners
		problem string
	}{
		"nothing":             {foreigners{}, ""},
		"an object":           {foreigners{Raw: raw(`{"a":1}`)}, ""},
		"nothing raw":         {foreigners{Raw: raw(``)}, ""},
		"garbage":             {foreigners{Raw: raw(`{"a":1`)}, "foreigners.Raw: 6 bytes are not JSON"},
		"garbage in a map":    {foreigners{JSON: map[string]apiextensions.JSON{"a": {Raw: []byte("x")}}}, "foreigners.JSON: 1 bytes are not JSON"},
		"a number":            {foreigners{Percent: ptr.To(intstr.FromInt32(1))}, ""},
		"a text":              {foreigners{Percent: ptr.To(intstr.FromString("1%"))}, ""},
		"neither of both":     {foreigners{Percent: &intstr.IntOrString{Type: 2}}, "foreigners.Percent: neither number nor text"},
		"a number below both": {foreigners{Percent: &intstr.IntOrString{Type: -1}}, "foreigners.Percent: neither number nor text"},
	} {
		t.Run(name, func(t *testing.T) {
			form, err := Marshal(&tc.object)
			if err != nil {
				t.Fatal(err)
			}
			var got foreigners
			err = Unmarshal(form, &got)
			switch {
			case tc.problem == "" && (err != nil || !cmp.Equal(tc.object, got, cmpopts.EquateEmpty())):
				t.Errorf("got %v, %v", got, err)
			case tc.problem != "" && (err == nil || !strings.Contains(err.Error(), tc.problem)):
				t.Errorf("error is %v", err)
			}
		})
	}
}

func FuzzUnmarshal(f *testing.F) {
	seed, _ := Marshal(full())
	f.Add(seed)
	f.Fuzz(func(t *testing.T, data []byte) {
		object := &outer{}
		if Unmarshal(data, object) != nil {
			return
		}
		first, err := Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		again := &outer{}
		if err := Unmarshal(first, again); err != nil {
			t.Fatal(err)
		}
		if second, err := Marshal(again); err != nil || !bytes.Equal(first, second) {
			t.Errorf("%x became %x, %v", first, second, err)
		}
	})
}

func BenchmarkStruct(b *testing.B) {
	object := full()
	form, err := Marshal(object)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("write", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Marshal(object); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := Unmarshal(form, &outer{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
