package userdata_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/local/userdata"
)

func TestDocumentRoundTrip(t *testing.T) {
	binary := []byte{0xff, 0xfe, 0}
	document := userdata.Document{
		Purpose: "provision",
		Files:   []userdata.File{userdata.NewFile("/b", 0o600, binary), userdata.NewFile("/a", 0, []byte("text\n"))},
		Units:   []userdata.Unit{{Name: "kubelet.service", Enable: ptr.To(true), Content: "[Service]"}, {Name: "a.service"}},
	}
	data, err := document.Encode()
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	decoded, err := userdata.Decode(data)
	if err != nil {
		t.Fatalf("decode: %v", err)
	}
	if decoded.Files[0].Path != "/a" || decoded.Files[0].Mode != "0644" || decoded.Units[0].Name != "a.service" {
		t.Errorf("EXT-9 files and units are not in order: %+v", decoded)
	}
	if got, err := decoded.Files[1].Bytes(); err != nil || !cmp.Equal(got, binary) {
		t.Errorf("EXT-9 binary content became %v, %v", got, err)
	}
	document.Files[0], document.Files[1] = document.Files[1], document.Files[0]
	if again, _ := document.Encode(); string(again) != string(data) {
		t.Errorf("EXT-9 the order of files changes the document:\n%s", cmp.Diff(string(data), string(again)))
	}
}

func TestDecodeRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"a script":                    "#!/bin/sh\n",
		"another kind":                "apiVersion: local.provider.extensions.gardener.cloud/v1alpha1\nkind: Other\npurpose: provision\n",
		"fields nobody knows":         "apiVersion: local.provider.extensions.gardener.cloud/v1alpha1\nkind: MachineContent\npurpose: provision\nfoo: bar\n",
		"half of a document, cut off": "apiVersion: local.provider.exten",
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := userdata.Decode([]byte(text)); err == nil {
				t.Errorf("decoded %q", text)
			}
		})
	}
	if _, err := userdata.DecodeContent("gzip", "x"); err == nil {
		t.Errorf("decoded an unknown encoding")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("apiVersion: local.provider.extensions.gardener.cloud/v1alpha1\nkind: MachineContent\npurpose: provision\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		document, err := userdata.Decode(data)
		if err != nil {
			return
		}
		encoded, err := document.Encode()
		if err != nil {
			t.Fatalf("a decoded document does not encode: %v", err)
		}
		if _, err := userdata.Decode(encoded); err != nil {
			t.Fatalf("an encoded document does not decode: %v\n%s", err, encoded)
		}
	})
}
