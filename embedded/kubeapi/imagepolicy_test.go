package kubeapi

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/plugin/pkg/admission/imagepolicy"
)

func TestGuardOfImagePolicy(t *testing.T) {
	var reached atomic.Int64
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer server.Close()
	for name, user := range map[string]string{"a token": "{token: secret}", "a password": "{username: a, password: b}", "nothing": "{}"} {
		t.Run("a server of images on this machine is not dialled with "+name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "kubeconfig")
			kubeconfig := fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: a
clusters: [{name: a, cluster: {server: %q, insecure-skip-tls-verify: true, proxy-url: %q}}]
users: [{name: a, user: %s}]
contexts: [{name: a, context: {cluster: a, user: a}}]
`, server.URL, strings.Replace(server.URL, "https", "http", 1), user)
			if err := os.WriteFile(file, []byte(kubeconfig), 0o600); err != nil {
				t.Fatal(err)
			}
			plugin, err := imagepolicy.NewImagePolicyWebhook(strings.NewReader(fmt.Sprintf("imagePolicy: {kubeConfigFile: %q, retryBackoff: 1, defaultAllow: false}", file)))
			if err != nil {
				t.Fatal(err)
			}
			guard := &guard{hosts: []string{"some"}}
			guard.decorate(plugin, imagepolicy.PluginName)
			pod := &core.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "b"}, Spec: core.PodSpec{Containers: []core.Container{{Image: "c"}}}}
			attributes := admission.NewAttributesRecord(pod, nil, core.Kind("Pod").WithVersion("version"), "b", "a", core.Resource("pods").WithVersion("version"), "", admission.Create, nil, false, &userInfo)
			if err := plugin.Validate(t.Context(), attributes, nil); err == nil || !strings.Contains(err.Error(), "belongs to this machine") {
				t.Errorf("error is %v", err)
			}
		})
	}
	if n := reached.Load(); n > 0 {
		t.Errorf("the server was reached %d times", n)
	}
}

var userInfo = user.DefaultInfo{Name: "a"}
