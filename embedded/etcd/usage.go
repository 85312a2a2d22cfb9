package etcd

import (
	"fmt"
	"math"
)

// Shares of the quota, in percent. Clients that respect Full leave the rest to the clients that keep a cluster alive.
const (
	// lookShare is from where on it is known what namespaces take, since from warnShare on each may only take its share.
	lookShare = 40
	warnShare = 60
	fullShare = 80
	// grownShare of the quota is how large the database may be on disk before writes have to wait until it is defragmented.
	grownShare = 95
)

// Usage is how much of its quota an etcd uses, in bytes.
type Usage struct {
	InUse int64 // by the present content and the history that is not compacted yet
	Size  int64 // of the database on disk, with free pages that later content takes
	Quota int64
}

// percent is the share of the quota that is in use.
func (u Usage) percent() int { return int(u.InUse * 100 / u.Quota) }

// full tells whether clients that can wait must write nothing more.
func (u Usage) full() bool { return u.percent() >= fullShare || u.grown() }

// grown reports whether the database is nearly as large as the quota, including its free pages.
func (u Usage) grown() bool { return u.Size >= u.Quota*grownShare/100 }

// String describes how full the etcd is. Percentages are rounded to multiples of five, so that the text does not change all the
// time.
func (u Usage) String() string {
	text := fmt.Sprintf("about %d %% of %s are used", u.percent()/5*5, Bytes(u.Quota))
	if u.grown() && u.percent() < fullShare {
		text += fmt.Sprintf(", and the database takes more than %d %% until it is defragmented", grownShare)
	}
	return text
}

// Bytes formats a number of bytes for people.
func Bytes(n int64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB"}
	at := 0
	value := float64(n)
	for ; value >= 1024 && at < len(units)-1; at++ {
		value /= 1024
	}
	return fmt.Sprintf("%v %s", math.Round(value*10)/10, units[at])
}

// Usage is how full the etcd is. It is cheap. A server that does not run uses nothing.
func (s *Server) Usage() Usage {
	u := Usage{Quota: s.config.quota()}
	if member := s.member.Load(); member != nil {
		backend := member.Backend()
		u.InUse, u.Size = backend.SizeInUse(), backend.Size()
	}
	return u
}

// Full is nil if a user may store so many more bytes in a namespace. Otherwise clients that can wait must wait. The error says how full
// the etcd is and, if known, which resources of the namespace take most space. From 60 % on a namespace gets no more than its share
// of the room that is left. An empty namespace has no share; it is for objects without a namespace.
func (s *Server) Full(namespace string, more int64) error {
	u := s.Usage()
	if u.full() {
		return fmt.Errorf("%v, and users may fill %d %%%s", u, fullShare, s.survey.largest(namespace))
	}
	if namespace == "" {
		return nil
	}
	if share, ok := s.survey.admit(namespace, more, u); !ok {
		return fmt.Errorf("%v, and each namespace may take %s%s", u, Bytes(share), s.survey.largest(namespace))
	}
	return nil
}

// Warning says that the etcd is filling up. From fullShare on the etcd refuses writes of users.
func (s *Server) Warning() (text string, refuses bool) {
	u := s.Usage()
	switch {
	case u.full():
		return fmt.Sprintf("the storage is full: %v; users can only delete%s", u, s.survey.largest("")), true
	case u.percent() >= warnShare:
		return fmt.Sprintf("the storage fills: %v; from %d %% on users can only delete%s", u, fullShare, s.survey.largest("")), false
	}
	return "", false
}
