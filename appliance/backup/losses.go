package backup

import (
	"fmt"
	"maps"
	"slices"
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
