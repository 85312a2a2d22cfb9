package validate

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/client/pkg/v3/fileutil"
	"go.etcd.io/etcd/client/pkg/v3/types"
	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.etcd.io/etcd/server/v3/storage/wal/walpb"
)

// Cluster returns the ID of the cluster that the data in the directory belong to. Each file of the write-ahead log begins with it.
func Cluster(dir string) (string, error) {
	walDir := filepath.Join(dir, "member", "wal")
	files, err := logFiles(walDir)
	if err != nil {
		return "", err
	}
	if len(files) == 0 {
		return "", ErrMissing
	}
	file, err := os.Open(filepath.Join(walDir, files[0]))
	if err != nil {
		return "", err
	}
	defer file.Close()
	decoder := wal.NewDecoder(fileutil.NewFileReader(file))
	for record := new(walpb.Record); ; {
		switch err := decoder.Decode(record); {
		case errors.Is(err, io.EOF):
			return "", fmt.Errorf("%w: the write-ahead log names no cluster", ErrCorrupt)
		case err != nil:
			return "", fmt.Errorf("%w: write-ahead log: %w", ErrCorrupt, err)
		}
		switch record.Type {
		case wal.CrcType:
			decoder.UpdateCRC(record.Crc)
		case wal.MetadataType:
			var metadata etcdserverpb.Metadata
			if err := metadata.Unmarshal(record.Data); err != nil {
				return "", fmt.Errorf("%w: write-ahead log: %w", ErrCorrupt, err)
			}
			return types.ID(metadata.ClusterID).String(), nil
		}
	}
}
