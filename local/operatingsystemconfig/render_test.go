package operatingsystemconfig

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/userdata"
	"github.com/gardener-up/gardener-up/providers/contract"
)

var errMissing = errors.New("missing")

func secrets(name, key string) ([]byte, error) {
	if name == "s" && key == "k" {
		return []byte("secret content"), nil
	}
	return nil, errMissing
}

func TestRender(t *testing.T) {
	mode, off, start := uint32(0o755), false, extensionsv1alpha1.CommandStart
	content := "[Service]\nExecStart=/opt/bin/kubelet\n"
	spec := &extensionsv1alpha1.OperatingSystemConfigSpec{
		Purpose: extensionsv1alpha1.OperatingSystemConfigPurposeReconcile,
		Files: []extensionsv1alpha1.File{
			{Path: "/plain", Content: extensionsv1alpha1.FileContent{Inline: &extensionsv1alpha1.FileContentInline{Data: "plain"}}},
			{Path: "/b64", Permissions: &mode, Content: extensionsv1alpha1.FileContent{Inline: &extensionsv1alpha1.FileContentInline{Encoding: "b64", Data: "Y29kZWQ="}}},
			{Path: "/secret", Content: extensionsv1alpha1.FileContent{SecretRef: &extensionsv1alpha1.FileContentSecretRef{Name: "s", DataKey: "k"}}},
			{Path: "/opt/bin/kubelet", Content: extensionsv1alpha1.FileContent{ImageRef: &extensionsv1alpha1.FileContentImageRef{Image: "kubelet:v1", FilePathInImage: "/kubelet"}}},
		},
		Units: []extensionsv1alpha1.Unit{
			{Name: "kubelet.service", Command: &start, Content: &content},
			{Name: "off.service", Enable: &off, DropIns: []extensionsv1alpha1.DropIn{{Name: "10.conf", Content: "[Unit]"}}},
		},
	}
	data, err := render(spec, secrets)
	if err != nil {
		t.Fatalf("render: %v", err)
	}
	got, err := userdata.Decode(data)
	if err != nil {
		t.Fatalf("decode: %v", err)
	}
	want := userdata.Document{
		APIVersion: "local.provider.extensions.gardener.cloud/v1alpha1", Kind: "MachineContent", Purpose: "reconcile",
		Files: []userdata.File{
			{Path: "/b64", Mode: "0755", Content: "coded"},
			{Path: "/opt/bin/kubelet", Mode: "0644", Image: "kubelet:v1", PathInImage: "/kubelet"},
			{Path: "/plain", Mode: "0644", Content: "plain"},
			{Path: "/secret", Mode: "0644", Content: "secret content"},
		},
		Units: []userdata.Unit{
			{Name: "kubelet.service", Command: "start", Content: content},
			{Name: "off.service", Enable: ptr.To(false), DropIns: []userdata.DropIn{{Name: "10.conf", Content: "[Unit]"}}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("EXT-9 document (-want +got):\n%s", diff)
	}
}

func TestRenderRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		content   extensionsv1alpha1.FileContent
		permanent bool
	}{
		"EXT-9 a secret that does not exist is tried again": {
			content: extensionsv1alpha1.FileContent{SecretRef: &extensionsv1alpha1.FileContentSecretRef{Name: "x", DataKey: "k"}},
		},
		"EXT-9 content that cannot be decoded is the user's problem": {
			content:   extensionsv1alpha1.FileContent{Inline: &extensionsv1alpha1.FileContentInline{Encoding: "b64", Data: "!"}},
			permanent: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := render(&extensionsv1alpha1.OperatingSystemConfigSpec{Files: []extensionsv1alpha1.File{{Path: "/f", Content: tc.content}}}, secrets)
			if err == nil || contract.IsPermanent(err) != tc.permanent {
				t.Errorf("error is %v, permanent %v; want permanent %v", err, contract.IsPermanent(err), tc.permanent)
			}
		})
	}
}
