package imagestore

import (
	"fmt"
	"io"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// Save writes images as an archive that Load, docker load, podman load and ctr images import read. An empty cluster stands
// for images that an operator loaded.
func (s *Store) Save(w io.Writer, cluster string, images ...string) error {
	content := map[name.Reference]v1.Image{}
	for _, image := range images {
		record, err := s.known.find(cluster, image)
		if err != nil {
			return fmt.Errorf("save image: %w", err)
		}
		reference, err := name.ParseReference(string(record.Reference))
		if err != nil {
			return fmt.Errorf("save image: %w", err)
		}
		content[reference] = s.contents.image(record.Manifest)
	}
	if err := tarball.MultiRefWrite(content, w); err != nil {
		return fmt.Errorf("save images: %w", err)
	}
	return nil
}
