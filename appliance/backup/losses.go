package backup

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"syscall"
)

// losses counts what of a tenant's tree is missing in a backup, by reasons. A tenant can cause any number of them, so each reason is one
// warning.
type losses struct{ byReason map[string]*loss }

type loss struct {
	count   int
	example string
}

func (l *losses) add(reason, name string) {
	if l.byReason == nil {
		l.byReason = map[string]*loss{}
	}
	if l.byReason[reason] == nil {
		l.byReason[reason] = &loss{example: name}
	}
	l.byReason[reason].count++
}

// warn tells what a tree lacks. Names of tenants are quoted.
func (l *losses) warn(name string, warn func(string)) {
	for _, reason := range slices.Sorted(maps.Keys(l.byReason)) {
		one := l.byReason[reason]
		warn(fmt.Sprintf("%.100q: %d %s, for example %.100q", name, one.count, reason, one.example))
	}
}

// unread is the error of reading a tree, not of writing the archive.
type unread struct{ error }

func (u unread) Unwrap() error { return u.error }

var (
	errDeep = errors.New("too many directories are in one another")
	errHuge = errors.New("the file is far larger than what the disk holds of it")
)

// ofMachine tells whether reading failed because of the machine.
func ofMachine(err error) bool {
	return slices.ContainsFunc([]error{syscall.EIO, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM}, func(of error) bool { return errors.Is(err, of) })
}
