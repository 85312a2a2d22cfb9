package framework

import "time"

// Eventually polls until check returns true. After the timeout it fails the test with check's last message.
func (l *Landscape) Eventually(timeout time.Duration, what string, check func() (bool, string)) {
	l.t.Helper()
	said := ""
	for deadline := time.Now().Add(timeout); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		ok, text := check()
		if ok {
			return
		}
		said = text
	}
	l.t.Fatalf("%s: not within %s: %s", what, timeout, said)
}
