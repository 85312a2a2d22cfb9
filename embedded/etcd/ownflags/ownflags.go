// Package ownflags reads the flags of etcd itself, for code that has to know some of them before etcd runs, or beside it.
//
// It does not check them: etcd does. It is a leaf.
package ownflags

import (
	"cmp"
	"os"
	"strings"
)

// Flags are etcd's own flags as arguments of its process. Values may follow a flag as --name=value or as the next argument.
type Flags []string

// Get returns the value of a flag, without the dashes of its name. The last one counts, as in etcd. If there is none, it is the
// variable ETCD_… of the process. It is empty if neither is set.
func (f Flags) Get(name string) string {
	value, found := "", false
	f.each(func(flag []string) {
		if got, v := split(flag); got == name {
			value, found = v, true
		}
	})
	if found {
		return value
	}
	return os.Getenv("ETCD_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_")))
}

// With returns the flags with another value for one of them.
func (f Flags) With(name, value string) Flags {
	out := Flags{}
	f.each(func(flag []string) {
		if got, _ := split(flag); got != name {
			out = append(out, flag...)
		}
	})
	return append(out, "--"+name+"="+value)
}

// each calls do for each flag with its arguments: one, or two if the value is an argument of its own.
func (f Flags) each(do func(flag []string)) {
	for i := 0; i < len(f); {
		n := 1
		if isFlag(f[i]) && !strings.Contains(f[i], "=") && i+1 < len(f) && !isFlag(f[i+1]) {
			n = 2
		}
		do(f[i : i+n])
		i += n
	}
}

func isFlag(argument string) bool { return strings.HasPrefix(argument, "-") }

// split returns name and value. One dash means the same as two.
func split(flag []string) (name, value string) {
	if !isFlag(flag[0]) {
		return "", ""
	}
	name, value, _ = strings.Cut(strings.TrimPrefix(strings.TrimPrefix(flag[0], "-"), "-"), "=")
	if len(flag) > 1 {
		value = flag[1]
	}
	return name, value
}

// Name is the name of the member.
func (f Flags) Name() string { return cmp.Or(f.Get("name"), "default") }

// DataDir is the data directory of the member.
func (f Flags) DataDir() string { return cmp.Or(f.Get("data-dir"), f.Name()+".etcd") }

// List returns the elements of a flag that is a list.
func (f Flags) List(name string) []string {
	value := f.Get(name)
	if value == "" {
		return nil
	}
	return strings.Split(value, ",")
}
