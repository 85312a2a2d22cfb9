package supportbundle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/gardener-up/gardener-up/appliance/paths"
)

// listed bounds the list of files. A landscape with sixty shoots has some thousands.
const listed = 20000

// errEnough ends the list.
var errEnough = errors.New("there are more files")

// Files lists the files of the state directory: names, modes, sizes and times, no contents.
func Files(p paths.Paths) Section {
	return Section{Name: "files.txt", Collect: func(ctx context.Context, w io.Writer) error {
		count := 0
		return filepath.WalkDir(p.Root(), func(file string, entry fs.DirEntry, err error) error {
			if count++; count > listed {
				return fmt.Errorf("%w than %d", errEnough, listed)
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			return list(w, p.Root(), file, entry, err)
		})
	}}
}

// list writes one file. A file that vanishes or that nobody may read does not end the list.
func list(w io.Writer, root, file string, entry fs.DirEntry, err error) error {
	name := "." + strings.TrimPrefix(file, root)
	if err != nil {
		fmt.Fprintf(w, "%s: %v\n", name, err)
		if entry != nil && entry.IsDir() {
			return fs.SkipDir
		}
		return nil
	}
	if info, err := entry.Info(); err == nil { // else it has just been removed
		fmt.Fprintf(w, "%s %12d %s %s\n", info.Mode(), info.Size(), info.ModTime().UTC().Format(time.RFC3339), name)
	}
	if entry.IsDir() && withinVolume(name) {
		return fs.SkipDir
	}
	return nil
}

// withinVolume recognises volumes of pods and containers' file systems, whose files are those of users.
func withinVolume(name string) bool {
	return strings.HasPrefix(name, "./volumes/") && strings.Count(name, "/") >= 4 || strings.Contains(name, "/rootfs")
}
