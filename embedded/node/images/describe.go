package images

import (
	"slices"
	"strconv"
	"strings"

	cri "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/gardener-up/gardener-up/embedded/imagestore"
)

// placeholderUser is the user of images that do not have to be there, so that pods with runAsNonRoot are admitted.
const placeholderUser = 65532

// placeholder describes an image that does not have to be there.
func placeholder(spec *cri.ImageSpec) *cri.Image {
	return &cri.Image{
		Id: spec.GetImage(), RepoTags: []string{spec.GetImage()}, Spec: spec, Uid: &cri.Int64Value{Value: placeholderUser},
	}
}

func addNames(image *cri.Image, record imagestore.Record) {
	if !record.Reference.Digest() && !slices.Contains(image.RepoTags, string(record.Reference)) {
		image.RepoTags = append(image.RepoTags, string(record.Reference))
	}
	if digest := record.RepositoryDigest(); !slices.Contains(image.RepoDigests, digest) {
		image.RepoDigests = append(image.RepoDigests, digest)
	}
	image.Pinned = image.Pinned || record.Loaded
}

// setUser sets the user of an image configuration, which is a number or a name, perhaps with a group.
func setUser(image *cri.Image, user string) {
	user, _, _ = strings.Cut(user, ":")
	if user == "" {
		user = "0"
	}
	if id, err := strconv.ParseInt(user, 10, 64); err == nil {
		image.Uid = &cri.Int64Value{Value: id}
		return
	}
	image.Username = user
}

// matching returns the images with that ID or name; all of them if it is empty.
func matching(all []*cri.Image, name string) []*cri.Image {
	if name == "" {
		return all
	}
	full, _ := imagestore.Parse(name)
	return slices.DeleteFunc(all, func(image *cri.Image) bool {
		return image.Id != name && !slices.Contains(image.RepoTags, string(full)) && !slices.Contains(image.RepoDigests, string(full))
	})
}
