package runtime

import (
	"context"
	"time"

	"golang.org/x/sys/unix"
	criapi "k8s.io/cri-api/pkg/apis"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// imageUser is the user of every image, so that pods with runAsNonRoot are admitted. Processes run as the user of
// this process.
const imageUser = 65532

// Images implements the CRI image service. Every image is present and takes no space.
type Images struct{ rootDir string }

var _ criapi.ImageManagerService = (*Images)(nil)

// Images returns the image service that goes with the runtime.
func (r *Runtime) Images() *Images { return &Images{rootDir: r.config.RootDir} }

// ListImages returns no images, because there is nothing to collect.
func (i *Images) ListImages(context.Context, *cri.ImageFilter) ([]*cri.Image, error) { return nil, nil }

// ImageStatus says that the image is present.
func (i *Images) ImageStatus(_ context.Context, image *cri.ImageSpec, _ bool) (*cri.ImageStatusResponse, error) {
	return &cri.ImageStatusResponse{Image: &cri.Image{
		Id: image.GetImage(), RepoTags: []string{image.GetImage()}, Spec: image, Uid: &cri.Int64Value{Value: imageUser},
	}}, nil
}

// PullImage has nothing to do.
func (i *Images) PullImage(_ context.Context, image *cri.ImageSpec, _ *cri.AuthConfig, _ *cri.PodSandboxConfig) (string, error) {
	return image.GetImage(), nil
}

// RemoveImage has nothing to do.
func (i *Images) RemoveImage(context.Context, *cri.ImageSpec) error { return nil }

// ImageFsInfo describes the file system of the runtime's directory.
func (i *Images) ImageFsInfo(context.Context) (*cri.ImageFsInfoResponse, error) {
	usage := fileSystemUsage(i.rootDir)
	return &cri.ImageFsInfoResponse{ImageFilesystems: []*cri.FilesystemUsage{usage}, ContainerFilesystems: []*cri.FilesystemUsage{usage}}, nil
}

// Close has nothing to do.
func (i *Images) Close(context.Context) error { return nil }

func fileSystemUsage(dir string) *cri.FilesystemUsage {
	usage := &cri.FilesystemUsage{
		Timestamp: time.Now().UnixNano(), FsId: &cri.FilesystemIdentifier{Mountpoint: dir},
		UsedBytes: &cri.UInt64Value{}, InodesUsed: &cri.UInt64Value{},
	}
	var fs unix.Statfs_t
	if unix.Statfs(dir, &fs) == nil {
		usage.UsedBytes.Value = (fs.Blocks - fs.Bfree) * uint64(fs.Bsize)
		usage.InodesUsed.Value = fs.Files - fs.Ffree
	}
	return usage
}
