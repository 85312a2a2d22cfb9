package image_test

import (
	"testing"

	"github.com/gardener-up/gardener-up/embedded/image"
)

func TestIs(t *testing.T) {
	for name, tc := range map[string]struct {
		image string
		want  bool
	}{
		"the image of this binary":           {image.Named(""), true},
		"the image of another version":       {image.Repository + ":v0.0.1", true},
		"the image without a tag":            {image.Repository, true},
		"the image with a digest":            {image.Repository + "@sha256:aa", true},
		"an image whose name only begins so": {image.Repository + "-other:dev", false},
		"an image below that name":           {image.Repository + "/x:dev", false},
		"any other image":                    {"nginx", false},
		"no image":                           {"", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := image.Is(tc.image, image.Named("")); got != tc.want {
				t.Errorf("Is(%q) = %v, want %v", tc.image, got, tc.want)
			}
		})
	}
}

func TestNamed(t *testing.T) {
	const name = "registry.example.org/gardener:v1"
	if got := image.Named(name); got != name {
		t.Errorf("the image is %s, want %s", got, name)
	}
	if got, want := image.Named(""), image.Repository+":"+image.Version; got != want {
		t.Errorf("the usual image is %s, want %s", got, want)
	}
	for _, is := range []string{name, image.Repository + ":dev"} {
		if !image.Is(is, name) {
			t.Errorf("%s is not the appliance image", is)
		}
	}
	for _, other := range []string{"registry.example.org/gardener:v2", ""} {
		if image.Is(other, name) {
			t.Errorf("%q is the appliance image", other)
		}
	}
	if image.Is(name, "") {
		t.Errorf("%s is the appliance image although nobody said so", name)
	}
}

func TestTag(t *testing.T) {
	for name, tc := range map[string]struct{ image, want string }{
		"the version of the appliance image": {image.Repository + ":v1.2.3", "v1.2.3"},
		"a digest is no part of it":          {image.Repository + ":v1.2.3@sha256:aa", "v1.2.3"},
		"an image without a version":         {image.Repository, ""},
		"an image with a digest alone":       {image.Repository + "@sha256:aa", ""},
		"a way out of a directory":           {image.Repository + ":../../etc", ""},
		"the directory above":                {image.Repository + ":..", ""},
		"another image":                      {"nginx:v1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got, ok := image.Tag(tc.image); ok != (tc.want != "") || ok && got != tc.want {
				t.Errorf("tag is %q, %v; want %q", got, ok, tc.want)
			}
		})
	}
}
