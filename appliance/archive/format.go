package archive

import (
	"errors"
	"io/fs"
	"time"
)

// Format is that of archives that this package writes. It grows by one with each change that an older binary cannot read.
// Format 2 has names with a backslash, hard links, and files with holes.
const Format = 2

// Names of the first and the last member of the tar. No entry has such a name.
const (
	headerName   = "header.json"
	manifestName = "manifest.json"
)

// lengthRecord is the record of a tar member that has the size of a file with holes.
const lengthRecord = "GARDENER.length"

const (
	// window is how much of what came before zstd refers to: enough for good compression, and a bound of the memory of readers.
	window = 4 << 20
	// maxHeader, maxManifest and maxEntries bound what a reader keeps in memory. A landscape with 60 shoots has about 10,000 entries.
	maxHeader   = 1 << 20
	maxManifest = 512 << 20
	maxEntries  = 1 << 20
	// maxName is PATH_MAX of Linux.
	maxName = 4096
	// maxLength is the size of a file with holes that every file system of today can hold.
	maxLength = 8 << 40
	// unit is what an entry may take of the manifest. A longer one counts as several entries.
	unit = maxManifest / maxEntries
	// besideNames is what an entry takes of the manifest beside its path and its target, at most.
	besideNames = 256
	// spare is how many entries of the manifest are left for warnings, and maxWarning is what one of them may take.
	spare      = maxEntries / 64
	maxWarning = 1024
)

// Errors of reading. Nothing was written when they are returned by Verify.
var (
	// ErrDamaged is wrapped by errors of archives that are incomplete, changed, or no archives.
	ErrDamaged = errors.New("the archive is damaged")
	// ErrNewer is wrapped by errors of archives that a newer binary has written.
	ErrNewer = errors.New("a newer binary has written the archive")
)

// Errors of a Writer that has left an entry out. Others can follow.
var (
	// ErrUnfit is wrapped by errors of entries that the format cannot hold.
	ErrUnfit = errors.New("an archive cannot hold it")
	// ErrFull means that there are too many entries already.
	ErrFull = errors.New("the archive has no room for more entries")
)

// Header says what an archive holds.
type Header struct {
	// Format of the archive.
	Format int `json:"format"`
	// Version of the binary that wrote the archive.
	Version string `json:"version"`
	// State and Kubernetes are the format of the state directory and the minor version that stored the objects.
	State      int    `json:"state"`
	Kubernetes string `json:"kubernetes"`
	// Landscape is the name of the landscape, Identity its ID, Provider that of its first seed.
	Landscape string `json:"landscape"`
	Identity  string `json:"identity"`
	Provider  string `json:"provider"`
	// StateDir is the state directory, whose path is in some objects.
	StateDir string    `json:"stateDir"`
	Created  time.Time `json:"created"`
}

// Kinds of entries.
const (
	File = "file"
	Dir  = "dir"
	Link = "link" // a symbolic link
	// HardLink is a further name of a file that comes before it.
	HardLink = "hardlink"
)

// Owner is the user and the group of an entry, by their numbers in containers: zero is the one that runs the landscape, whoever that is.
type Owner struct {
	User  uint32 `json:"user,omitempty"`
	Group uint32 `json:"group,omitempty"`
}

// Entry is a file, a directory or a link.
type Entry struct {
	// Path is relative to the state directory, with slashes.
	Path string      `json:"path"`
	Kind string      `json:"kind"`
	Mode fs.FileMode `json:"mode,omitempty"` // permissions only
	Owner
	// Size is in bytes, and Sum the SHA-256 of the content in hexadecimal digits. Both are of files only.
	Size int64  `json:"size,omitempty"`
	Sum  string `json:"sha256,omitempty"`
	// Length is set for a file with holes: its size when it is restored. Then Size is that of its data and of where they are.
	Length int64 `json:"length,omitempty"`
	// Target is that of a link. That of a hard link is the path of another entry.
	Target string `json:"target,omitempty"`
}

// Manifest lists all entries in their order.
type Manifest struct {
	Entries []Entry `json:"entries"`
	// Warnings say what the archive lacks, or has only in an older state.
	Warnings []string `json:"warnings,omitempty"`
}

// Bytes is the size of the data of all files.
func (m Manifest) Bytes() (total int64) {
	for _, e := range m.Entries {
		total += e.Size
	}
	return total
}
