package bundle

import (
	"errors"
	"fmt"
)

// Errors about a bundle. Each has a reason.
var (
	ErrDamaged = errors.New("the bundle is damaged")
	ErrForeign = errors.New("the bundle is that of somebody else")
)

func damaged(format string, arguments ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, arguments...))
}
