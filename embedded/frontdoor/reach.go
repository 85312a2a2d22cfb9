package frontdoor

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"time"
)

const (
	// patience is how long an address may take to answer before the next one is asked as well. An address that is only slow may still
	// be the first to answer.
	patience = time.Second
	// answerTimeout is how long all addresses together may take.
	answerTimeout = 30 * time.Second
	// suspicion is how long an address that did not answer is asked last.
	suspicion = 10 * time.Second
	// maxAnswer is how much of the first answer is read, which is passed on.
	maxAnswer = 4 << 10
)

// answer is what an address of a destination said first.
type answer struct {
	address string
	conn    *net.TCPConn
	said    []byte
	err     error
}

// ask sends the beginning of a client's TLS connection to the addresses of one destination, one after the other, until one of them
// answers. A ClientHello may be sent to several servers, since it has no effect. If all refuse the connection, a refusal is the answer.
func (s *Server) ask(ctx context.Context, addresses []string, hello []byte) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	addresses = s.suspects.last(addresses)
	answers := make(chan answer, len(addresses))
	asked, left := 0, 0
	next := func() {
		if asked < len(addresses) {
			address := addresses[asked]
			asked, left = asked+1, left+1
			go func() { answers <- s.askOne(ctx, address, hello) }()
		}
	}
	next()
	impatient := time.NewTicker(patience)
	defer impatient.Stop()
	var refusal *answer
	var failed []error
	for left > 0 {
		select {
		case <-impatient.C:
			s.suspects.add(addresses[asked-1])
			next()
		case got := <-answers:
			left--
			if got.err == nil && !isAlert(got.said) {
				s.suspects.remove(got.address)
				cancel()
				go closeOthers(answers, left)
				if refusal != nil {
					_ = refusal.conn.Close()
				}
				return got, nil
			}
			s.suspects.add(got.address)
			switch {
			case got.err != nil:
				failed = append(failed, got.err)
			case refusal == nil:
				refusal = &got
			default:
				_ = got.conn.Close()
			}
			next()
		}
	}
	if refusal != nil {
		return *refusal, nil
	}
	return answer{}, errors.Join(failed...)
}

// askOne connects to an address and waits for its first answer.
func (s *Server) askOne(ctx context.Context, address string, hello []byte) answer {
	got := answer{address: address}
	if got.conn, got.err = s.connect(ctx, address); got.err != nil {
		return got
	}
	kept := context.AfterFunc(ctx, func() { _ = got.conn.Close() })
	if _, got.err = got.conn.Write(hello); got.err == nil {
		buffer, n := make([]byte, maxAnswer), 0
		n, got.err = got.conn.Read(buffer)
		got.said = buffer[:n]
	}
	if !kept() && got.err == nil {
		got.err = context.Cause(ctx)
	}
	if got.err != nil {
		_ = got.conn.Close()
	}
	return got
}

func closeOthers(answers <-chan answer, left int) {
	for range left {
		if late := <-answers; late.err == nil {
			_ = late.conn.Close()
		}
	}
}

// isAlert reports whether a TLS server refuses the connection.
func isAlert(said []byte) bool {
	const alertRecord = 21
	return len(said) > 0 && said[0] == alertRecord
}

// suspects are addresses that did not answer lately. The zero value is ready to use.
type suspects struct {
	mu    sync.Mutex
	until map[string]time.Time
}

func (s *suspects) add(address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.until == nil {
		s.until = map[string]time.Time{}
	}
	s.until[address] = time.Now().Add(suspicion)
}

func (s *suspects) remove(address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.until, address)
}

// last returns the addresses with the suspects in the end.
func (s *suspects) last(addresses []string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for address, until := range s.until {
		if now.After(until) {
			delete(s.until, address)
		}
	}
	sorted := slices.Clone(addresses)
	slices.SortStableFunc(sorted, func(a, b string) int {
		_, suspectA := s.until[a]
		_, suspectB := s.until[b]
		switch {
		case suspectA == suspectB:
			return 0
		case suspectA:
			return 1
		}
		return -1
	})
	return sorted
}
