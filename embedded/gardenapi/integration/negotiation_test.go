package integration

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/gardenapi"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/scheme"
)

func TestNegotiation(t *testing.T) {
	metadataClient, err := metadata.NewForConfig(garden.Config)
	if err != nil {
		t.Fatal(err)
	}
	resources := metadataClient.Resource(core.SchemeGroupVersion.WithResource("controllerdeployments"))
	create(t, &core.ControllerDeployment{
		ObjectMeta: metav1.ObjectMeta{Name: "negotiated", Annotations: map[string]string{constants.ConfirmationDeletion: "true"}, Finalizers: []string{"example.org/keep"}},
		Type:       "test",
	})
	t.Run("metadata is read by clients that would rather have protobuf", func(t *testing.T) {
		if object, err := resources.Get(t.Context(), "negotiated", metav1.GetOptions{}); err != nil || object.Name != "negotiated" {
			t.Errorf("object %v, %v", object, err)
		}
	})
	path := "/apis/core.gardener.cloud/v1beta1/controllerdeployments/negotiated"
	for accept, want := range map[string]struct {
		status      int
		contentType string
		begin       string
	}{
		"application/json":                    {200, "application/json", `{"kind":"ControllerDeployment"`},
		"application/yaml":                    {200, "application/yaml", "apiVersion: core.gardener.cloud/v1beta1"},
		"application/vnd.kubernetes.protobuf": {200, "application/vnd.kubernetes.protobuf", "k8s\x00"},
		"application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1": {200, "application/vnd.kubernetes.protobuf", "k8s\x00"},
		"application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1":                    {200, "application/json", `{"kind":"PartialObjectMetadata"`},
		"application/json;as=Table;g=meta.k8s.io;v=v1":                                    {200, "application/json", `{"kind":"Table"`},
		"application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1":                 {406, "", ""},
		"application/xml":                         {406, "", ""},
		"application/xml, application/json;q=0.5": {200, "application/json", `{"kind":"ControllerDeployment"`},
	} {
		t.Run("API-1 "+accept, func(t *testing.T) {
			status, contentType, body := accepted(t, path, accept)
			if status != want.status || !strings.HasPrefix(contentType, want.contentType) || !bytes.HasPrefix(body, []byte(want.begin)) {
				t.Errorf("got %d %s %.100q, want %+v", status, contentType, body, want)
			}
		})
	}
	t.Run("deleting with the client of the garbage collector is no error", func(t *testing.T) {
		if err := resources.Delete(t.Context(), "negotiated", metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	kept := &core.ControllerDeployment{ObjectMeta: metav1.ObjectMeta{Name: "negotiated"}}
	if err := admin(t).Patch(t.Context(), kept, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`))); err != nil {
		t.Fatal(err)
	}
}

func accepted(t *testing.T, path, accept string) (status int, contentType string, body []byte) {
	t.Helper()
	c, err := rest.HTTPClientFor(garden.Config)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, garden.Config.Host+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", accept)
	response, err := c.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err = io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header.Get("Content-Type"), body
}

// protobufClient reads and writes protocol buffers only.
func protobufClient(t *testing.T, config *rest.Config) *rest.RESTClient {
	t.Helper()
	config = rest.CopyConfig(config)
	config.APIPath, config.GroupVersion = "/apis", &core.SchemeGroupVersion
	config.ContentType, config.AcceptContentTypes = runtime.ContentTypeProtobuf, runtime.ContentTypeProtobuf
	config.NegotiatedSerializer = scheme.New().Codecs.WithoutConversion()
	c, err := rest.RESTClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestProtobuf(t *testing.T) {
	c, ctx := protobufClient(t, garden.Config), t.Context()
	asJSON := shoot(t, func(s *core.Shoot) {
		s.Spec.Extensions = []core.Extension{{Type: "foo", ProviderConfig: &runtime.RawExtension{Raw: []byte(`{"apiVersion":"foo/v1","deep":{"er":[1]},"kind":"Config"}`)}}}
	})
	request := func(verb string) *rest.Request {
		return c.Verb(verb).Namespace(asJSON.Namespace).Resource("shoots")
	}
	t.Run("API-15 what is written as JSON is read as protobuf", func(t *testing.T) {
		got := &core.Shoot{}
		if err := request(http.MethodGet).Name(asJSON.Name).Do(ctx).Into(got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(asJSON, got, cmpopts.IgnoreTypes(metav1.TypeMeta{})); diff != "" {
			t.Errorf("(-JSON +protobuf):\n%s", diff)
		}
	})
	t.Run("API-15 what is written as protobuf is defaulted, validated and read as JSON", func(t *testing.T) {
		written := newShoot(&core.Project{Spec: core.ProjectSpec{Namespace: &asJSON.Namespace}}, &core.CloudProfile{ObjectMeta: metav1.ObjectMeta{Name: asJSON.Spec.CloudProfile.Name}})
		if err := request(http.MethodPost).Body(written).Do(ctx).Into(written); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { remove(t, admin(t), written) })
		read := &core.Shoot{}
		if err := admin(t).Get(ctx, client.ObjectKeyFromObject(written), read); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(read, written, cmpopts.IgnoreTypes(metav1.TypeMeta{})); diff != "" || read.Spec.Purpose == nil {
			t.Errorf("(-JSON +protobuf):\n%s", diff)
		}
		written.Spec.Region = ""
		wantStatus(t, request(http.MethodPut).Name(written.Name).Body(written).Do(ctx).Error(), 422, "spec.region")
	})
	t.Run("lists and watches", func(t *testing.T) {
		list := &core.ShootList{}
		if err := request(http.MethodGet).Do(ctx).Into(list); err != nil || len(list.Items) == 0 {
			t.Fatalf("got %d shoots, %v", len(list.Items), err)
		}
		events, err := request(http.MethodGet).VersionedParams(&metav1.ListOptions{Watch: true, ResourceVersion: "0"}, metav1.ParameterCodec).Watch(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer events.Stop()
		if event := <-events.ResultChan(); event.Object.(*core.Shoot).Namespace != asJSON.Namespace {
			t.Errorf("got %v", event)
		}
	})
	t.Run("garbage is the sender's mistake", func(t *testing.T) {
		for name, body := range map[string]string{"nothing": "", "no envelope": "{}", "a short message": "k8s\x00\x0a\xff", "a wrong field": "k8s\x00\x0a\x24\x0a\x1bcore.gardener.cloud/v1beta1\x12\x05Shoot\x12\x02\x12\xff"} {
			path := "/apis/core.gardener.cloud/v1beta1/namespaces/" + asJSON.Namespace + "/shoots"
			if status, answer := send(t, garden.Config, http.MethodPost, path, runtime.ContentTypeProtobuf, []byte(body)); status != 400 {
				t.Errorf("API-41 %s: got %d with %.300s", name, status, answer)
			}
		}
	})
	t.Run("API-41 configuration of providers that is no JSON is the sender's mistake", func(t *testing.T) {
		for name, raw := range map[string]string{"garbage": "garbage", "not complete": "{", "no UTF-8": "{\"a\":\"\xff\"", "two": "{}{}", "bytes": "\x00"} {
			for verb, object := range map[string]*core.Shoot{
				http.MethodPost: newShoot(&core.Project{Spec: core.ProjectSpec{Namespace: &asJSON.Namespace}}, &core.CloudProfile{ObjectMeta: metav1.ObjectMeta{Name: asJSON.Spec.CloudProfile.Name}}),
				http.MethodPut:  asJSON.DeepCopy(),
			} {
				object.Spec.Provider.InfrastructureConfig = &runtime.RawExtension{Raw: []byte(raw)}
				to := request(verb)
				if verb == http.MethodPut {
					to = to.Name(object.Name)
				}
				err := to.Body(object).Do(ctx).Error()
				wantStatus(t, err, 400, "v1beta1.Provider.InfrastructureConfig: ")
				if t.Failed() {
					t.Errorf("%s with %s", verb, name)
				}
			}
		}
	})
	t.Run("objects can be stored so, beside others", func(t *testing.T) {
		_, direct := another(t, func(c *gardenapi.Config) { c.StorageMediaType = runtime.ContentTypeProtobuf })
		before := asJSON.DeepCopy()
		patch := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"labels":{"stored":"anew"}}}`))
		if err := clientFor(t, direct).Patch(ctx, asJSON, patch); err != nil {
			t.Fatal(err)
		}
		if raw := etcdValue(t, gardenapi.DefaultEtcdPrefix+"/core.gardener.cloud/shoots/"+asJSON.Namespace+"/"+asJSON.Name); !bytes.HasPrefix(raw, []byte("k8s\x00")) {
			t.Errorf("stored is %.80q", raw)
		}
		read := &core.Shoot{}
		eventually(t, func() error {
			if err := admin(t).Get(ctx, client.ObjectKeyFromObject(asJSON), read); err != nil {
				return err
			}
			if read.Labels["stored"] == "" {
				return errNotYet
			}
			return nil
		})
		if diff := cmp.Diff(before.Spec, read.Spec); diff != "" {
			t.Errorf("(-JSON +protobuf):\n%s", diff)
		}
	})
}
