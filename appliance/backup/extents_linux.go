package backup

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"github.com/gardener-up/gardener-up/appliance/archive"
)

// maxExtents bounds the memory for one file.
const maxExtents = 1 << 18

// extentsOf finds the parts of a file that are no holes. A file system without holes has one part.
func extentsOf(file *os.File, size int64) (all []archive.Extent, _ error) {
	for at := int64(0); at < size; {
		begin, err := file.Seek(at, unix.SEEK_DATA)
		if errors.Is(err, unix.ENXIO) || err == nil && begin >= size {
			return all, nil
		}
		if errors.Is(err, unix.EINVAL) {
			return append(all, archive.Extent{Offset: at, Size: size - at}), nil
		}
		if err != nil {
			return nil, unread{err}
		}
		end, err := file.Seek(begin, unix.SEEK_HOLE)
		if errors.Is(err, unix.ENXIO) { // it became shorter
			return all, nil
		}
		if err != nil {
			return nil, unread{err}
		}
		if len(all) == maxExtents {
			return nil, errHuge
		}
		at = min(end, size)
		all = append(all, archive.Extent{Offset: begin, Size: at - begin})
	}
	return all, nil
}
