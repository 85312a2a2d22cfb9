package imagestore

import v1 "github.com/google/go-containerregistry/pkg/v1"

// Record is the content that a name refers to.
type Record struct {
	Reference Reference `json:"reference"`
	// ID is the digest of the image's configuration.
	ID v1.Hash `json:"id"`
	// Manifest is the digest of the image's manifest for this machine's platform.
	Manifest v1.Hash `json:"manifest"`
	// Size is that of the unpacked files in bytes.
	Size int64 `json:"size"`
	// Loaded reports whether an operator loaded the image, for all clusters.
	Loaded bool `json:"-"`
}

// is tells whether the text is the image's ID, or names the repository of its reference with its digest.
func (r Record) is(image string) bool {
	return image == r.ID.String() || image == r.ID.Hex || image == r.RepositoryDigest()
}

// RepositoryDigest is the reference by digest: repository@sha256:….
func (r Record) RepositoryDigest() string {
	return r.Reference.Repository() + "@" + r.Manifest.String()
}
