package images

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// ImageFsInfo returns the size of the image store.
func (s *Service) ImageFsInfo(ctx context.Context) (*cri.ImageFsInfoResponse, error) {
	dir := s.config.Store.Dir()
	usage := &cri.FilesystemUsage{
		Timestamp: time.Now().UnixNano(), FsId: &cri.FilesystemIdentifier{Mountpoint: dir},
		UsedBytes: &cri.UInt64Value{}, InodesUsed: &cri.UInt64Value{},
	}
	err := filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return ctx.Err() // a file that was removed meanwhile does not count
		}
		if info, err := entry.Info(); err == nil {
			usage.UsedBytes.Value += uint64(info.Size())
			usage.InodesUsed.Value++
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("measure image store: %w", err)
	}
	return &cri.ImageFsInfoResponse{
		ImageFilesystems: []*cri.FilesystemUsage{usage}, ContainerFilesystems: []*cri.FilesystemUsage{usage},
	}, nil
}
