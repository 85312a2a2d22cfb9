package backup

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/gardener-up/gardener-up/appliance/archive"
)

// shootVolumes is the directory of paths.Shared.Volumes, in that of the volumes of a seed's pods.
const shootVolumes = ".shoots"

// part is the directory of one tenant, and its name in the archive.
type part struct{ dir, name string }

// addParts adds a directory whose parts belong to different tenants: what one of them puts into a part leads to no other part, and takes no
// room in the archive that others need.
func (t tree) addParts(dir, name string) error {
	parts, err := t.parts(dir, name)
	if err != nil {
		return err
	}
	room := t.room()
	weights := make([]int, len(parts))
	for i, p := range parts {
		if weights[i], err = t.weigh(p, room); err != nil {
			return err
		}
	}
	for i, share := range shares(weights, room) {
		one := t
		one.left, one.lost, one.files = &share, &losses{}, map[inode]string{}
		if err := one.add(parts[i].dir, parts[i].name); err != nil {
			return err
		}
		one.lost.warn(parts[i].name, t.warn)
	}
	return nil
}

// parts finds the parts of a directory, and adds the directories that they are in.
func (t tree) parts(dir, name string) (all []part, _ error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := t.out.Dir(name, 0o700, archive.Owner{}); err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		found := []part{{filepath.Join(dir, entry.Name()), path.Join(name, entry.Name())}}
		if entry.Name() == shootVolumes { // a directory for each shoot
			if found, err = t.parts(found[0].dir, found[0].name); err != nil {
				return nil, err
			}
		}
		all = append(all, found...)
	}
	return all, nil
}

// weigh returns how much room a part takes, or about the most that there is.
func (t tree) weigh(p part, room int) (int, error) {
	scale := &scale{}
	t.out, t.left, t.lost, t.files = scale, &room, &losses{}, map[inode]string{}
	err := t.add(p.dir, p.name)
	return scale.weight, err
}

// shares divides the room of an archive: parts get what they need, as long as there is enough for all. Otherwise the large ones get the same.
func shares(weights []int, room int) []int {
	shares := make([]int, len(weights))
	order := make([]int, len(weights))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return weights[a] - weights[b] })
	rest := room
	for done, i := range order {
		shares[i] = rest / (len(order) - done)
		rest -= min(shares[i], weights[i])
	}
	return shares
}

// scale weighs entries instead of keeping them.
type scale struct{ weight int }

// Dir implements sink.
func (s *scale) Dir(path string, _ fs.FileMode, _ archive.Owner) error {
	s.weight += archive.Weight(path, "")
	return nil
}

// Link implements sink.
func (s *scale) Link(path, target string, _ archive.Owner) error {
	s.weight += archive.Weight(path, target)
	return nil
}

// File implements sink. It does not read the content.
func (s *scale) File(path string, _ fs.FileMode, _ archive.Owner, _ int64, _ io.Reader) (short bool, err error) {
	s.weight += archive.Weight(path, "")
	return false, nil
}

// HardLink weighs what archive.Writer adds.
func (s *scale) HardLink(path, target string) error { return s.Link(path, target, archive.Owner{}) }
