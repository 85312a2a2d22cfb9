package dns

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"

	"github.com/miekg/dns"
)

// types of records that a zone holds.
var types = []uint16{dns.TypeA, dns.TypeAAAA, dns.TypeCNAME, dns.TypeTXT}

// maxText is the length of one string of a TXT record; longer values are split.
const maxText = 255

// key of a record set.
type key struct {
	name  string // canonical
	rtype uint16
}

// set is the values of one name and type, as stored in a file.
type set struct {
	Name   string   `json:"name"`
	Owner  string   `json:"owner,omitempty"`  // empty for sets of older versions, which anybody may take over
	Holder string   `json:"holder,omitempty"` // the same
	Type   string   `json:"type"`
	Values []string `json:"values"`
	TTL    int64    `json:"ttl"` // seconds
}

// Zone holds record sets of any names, on disk and in memory. It is safe for concurrent use.
type Zone struct {
	dir     string
	damaged []string
	mu      sync.RWMutex
	sets    map[key]set
}

// OpenZone reads the record sets in dir, and creates dir if it does not exist.
func OpenZone(dir string) (*Zone, error) {
	sets, damaged, err := load(dir)
	if err != nil {
		return nil, fmt.Errorf("load records: %w", err)
	}
	return &Zone{dir: dir, damaged: damaged, sets: sets}, nil
}

// Damaged names the files that OpenZone has set aside, with the reasons.
func (z *Zone) Damaged() []string { return z.damaged }

// OwnedError is returned for a name that belongs to another owner.
type OwnedError struct{ Name, Owner string }

// Error does not name the owner, because users must not learn who owns a name.
func (e *OwnedError) Error() string {
	return fmt.Sprintf("the name %s is published by another owner", e.Name)
}

// HeldError is returned for a name that its owner publishes elsewhere.
type HeldError struct{ Name, Holder string }

// Error does not name the holder, for the same reason.
func (e *HeldError) Error() string {
	return fmt.Sprintf("the name %s is published by another seed", e.Name)
}

// Claim says who publishes a name. The Owner is what the name is for. The Holder is the place from which it is published, of which an
// owner has one at a time.
type Claim struct{ Owner, Holder string }

// Put replaces the values of a name and type (A, AAAA, CNAME or TXT). A name that begins with "*." stands for all
// names below it that have no records. ttl is in seconds. The first owner keeps the name, for all types, until it deletes
// it; for others Put returns an OwnedError. The first holder keeps it until it deletes it or another one takes it; for others of the same
// owner Put returns a HeldError.
func (z *Zone) Put(by Claim, name, recordType string, values []string, ttl int64) error {
	s := set{Name: name, Owner: by.Owner, Holder: by.Holder, Type: recordType, Values: slices.Clone(values), TTL: ttl}
	k, _, err := s.validate()
	if err != nil {
		return fmt.Errorf("put record: %w", err)
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	if err := z.refuse(by, k.name); err != nil {
		return fmt.Errorf("put record %s %s: %w", name, recordType, err)
	}
	if err := save(z.dir, k, s); err != nil {
		return fmt.Errorf("put record %s %s: %w", name, recordType, err)
	}
	z.sets[k] = s
	return nil
}

// Take makes the holder of the claim that of all records of a name, whoever held them. It returns an OwnedError if the name has another
// owner. The caller knows that the owner has moved.
func (z *Zone) Take(by Claim, name string) error {
	canonical := dns.CanonicalName(name)
	z.mu.Lock()
	defer z.mu.Unlock()
	if other := z.claim(canonical); other.Owner != "" && other.Owner != by.Owner {
		return fmt.Errorf("take name %s: %w", name, &OwnedError{Name: name, Owner: other.Owner})
	}
	for _, rtype := range types {
		k := key{name: canonical, rtype: rtype}
		s, exists := z.sets[k]
		if !exists {
			continue
		}
		s.Owner, s.Holder = by.Owner, by.Holder
		if err := save(z.dir, k, s); err != nil {
			return fmt.Errorf("take name %s: %w", name, err)
		}
		z.sets[k] = s
	}
	return nil
}

// refuse returns an error if somebody else has the name.
func (z *Zone) refuse(by Claim, canonical string) error {
	switch other := z.claim(canonical); {
	case other.Owner != "" && other.Owner != by.Owner:
		return &OwnedError{Name: strings.TrimSuffix(canonical, "."), Owner: other.Owner}
	case other.Holder != "" && other.Holder != by.Holder:
		return &HeldError{Name: strings.TrimSuffix(canonical, "."), Holder: other.Holder}
	}
	return nil
}

// claim is empty, also in part, if nobody has the name.
func (z *Zone) claim(canonical string) (out Claim) {
	for _, rtype := range types {
		s := z.sets[key{name: canonical, rtype: rtype}]
		out.Owner, out.Holder = cmp.Or(out.Owner, s.Owner), cmp.Or(out.Holder, s.Holder)
	}
	return out
}

// Delete removes the values of a name and type. It is no error if there are none. A name of another owner or holder keeps its values,
// without an error.
func (z *Zone) Delete(by Claim, name, recordType string) error {
	k := key{name: dns.CanonicalName(name), rtype: dns.StringToType[recordType]}
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.refuse(by, k.name) != nil {
		return nil
	}
	if err := remove(z.dir, k); err != nil {
		return fmt.Errorf("delete record %s %s: %w", name, recordType, err)
	}
	delete(z.sets, k)
	return nil
}

// Get returns the values of exactly this name and type; nil if there are none.
func (z *Zone) Get(name, recordType string) []string {
	z.mu.RLock()
	defer z.mu.RUnlock()
	return slices.Clone(z.sets[key{name: dns.CanonicalName(name), rtype: dns.StringToType[recordType]}].Values)
}

// Names returns all names that have records, sorted.
func (z *Zone) Names() []string {
	z.mu.RLock()
	defer z.mu.RUnlock()
	names := map[string]struct{}{}
	for k := range z.sets {
		names[strings.TrimSuffix(k.name, ".")] = struct{}{}
	}
	return slices.Sorted(maps.Keys(names))
}

// lookup returns the records of a name and type, or the alias of the name. exists is true if the name, or a name
// below it, has records of any type.
func (z *Zone) lookup(name string, qtype uint16) (records []dns.RR, exists bool) {
	z.mu.RLock()
	defer z.mu.RUnlock()
	if records, exists = z.at(name, qtype); exists {
		return records, true
	}
	for k := range z.sets {
		if strings.HasSuffix(k.name, "."+name) {
			return nil, true
		}
	}
	for parent := name; ; {
		_, rest, found := strings.Cut(parent, ".")
		if !found || rest == "" {
			return nil, false
		}
		if records, exists = z.at("*."+rest, qtype); exists {
			return records, true
		}
		if _, exists = z.at(rest, dns.TypeANY); exists {
			return nil, false // an existing name hides the wildcards above it
		}
		parent = rest
	}
}

func (z *Zone) at(name string, qtype uint16) (records []dns.RR, exists bool) {
	for _, rtype := range types {
		s, ok := z.sets[key{name: name, rtype: rtype}]
		if !ok {
			continue
		}
		exists = true
		if rtype == qtype || rtype == dns.TypeCNAME || qtype == dns.TypeANY {
			_, rrs, _ := s.validate() // was valid when it was put
			records = append(records, rrs...)
		}
	}
	return records, exists
}

// validate returns the key and the records of a set.
func (s set) validate() (key, []dns.RR, error) {
	k := key{name: dns.CanonicalName(s.Name), rtype: dns.StringToType[s.Type]}
	if _, ok := dns.IsDomainName(s.Name); !ok || s.Name == "" || strings.ContainsAny(s.Name, "/\\ ") {
		return k, nil, fmt.Errorf("%q is not a domain name", s.Name)
	}
	if len(s.Values) == 0 {
		return k, nil, fmt.Errorf("%s has no values", s.Name)
	}
	if s.TTL < 0 || s.TTL > 1<<31-1 {
		return k, nil, fmt.Errorf("%s: time to live of %d seconds is out of range", s.Name, s.TTL)
	}
	records := make([]dns.RR, 0, len(s.Values))
	for _, value := range s.Values {
		record, err := newRecord(k.rtype, uint32(s.TTL), value)
		if err != nil {
			return k, nil, fmt.Errorf("%s %s: %w", s.Name, s.Type, err)
		}
		records = append(records, record)
	}
	if k.rtype == dns.TypeCNAME && len(records) > 1 {
		return k, nil, fmt.Errorf("%s: an alias has one target", s.Name)
	}
	return k, records, nil
}

func newRecord(rtype uint16, ttl uint32, value string) (dns.RR, error) {
	switch rtype {
	case dns.TypeA:
		if ip := net.ParseIP(value).To4(); ip != nil {
			return &dns.A{Hdr: header(rtype, ttl), A: ip}, nil
		}
		return nil, fmt.Errorf("%q is not an IPv4 address", value)
	case dns.TypeAAAA:
		if ip := net.ParseIP(value); ip != nil && ip.To4() == nil {
			return &dns.AAAA{Hdr: header(rtype, ttl), AAAA: ip}, nil
		}
		return nil, fmt.Errorf("%q is not an IPv6 address", value)
	case dns.TypeCNAME:
		if _, ok := dns.IsDomainName(value); ok && value != "" {
			return &dns.CNAME{Hdr: header(rtype, ttl), Target: dns.Fqdn(value)}, nil
		}
		return nil, fmt.Errorf("%q is not a domain name", value)
	case dns.TypeTXT:
		txt := &dns.TXT{Hdr: header(rtype, ttl)}
		for len(value) > maxText {
			txt.Txt, value = append(txt.Txt, value[:maxText]), value[maxText:]
		}
		txt.Txt = append(txt.Txt, value)
		return txt, nil
	}
	return nil, errors.New("the record type must be A, AAAA, CNAME or TXT")
}
