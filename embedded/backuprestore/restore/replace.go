package restore

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
)

// Replace is Run for a data directory that may exist: it is moved to former, which must be in the same directory. check may refuse what was
// restored; nil refuses nothing. After an error the data directory is as it was. moved tells whether there were data.
func Replace(ctx context.Context, config Config, former string, check func(dir string) error) (result Result, moved bool, err error) {
	dir := config.Dir
	config.Dir += ".restored"
	if err := os.RemoveAll(config.Dir); err != nil {
		return Result{}, false, err
	}
	if result, err = Run(ctx, config); err != nil {
		return result, false, err
	}
	if check != nil {
		err = check(config.Dir)
	}
	if err == nil {
		moved, err = SetAside(dir, former)
	}
	if err != nil {
		return result, false, errors.Join(err, os.RemoveAll(config.Dir))
	}
	if err = atomicfile.Move(config.Dir, dir); err != nil && moved {
		err = errors.Join(err, atomicfile.Move(former, dir))
	}
	return result, moved, err
}

// SetAside moves a data directory, if there is one, and removes what was in that place.
func SetAside(dir, former string) (moved bool, err error) {
	if _, err := os.Lstat(dir); errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err := os.RemoveAll(former); err != nil {
		return false, fmt.Errorf("set data aside: %w", err)
	}
	return true, atomicfile.Move(dir, former)
}
