package autoscaler

import (
	"fmt"
	"strconv"
	"time"
)

// seconds is a flag with a number of seconds.
type seconds struct{ value *time.Duration }

func (s seconds) String() string {
	if s.value == nil {
		return ""
	}
	return strconv.Itoa(int(s.value.Seconds()))
}

func (s seconds) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return fmt.Errorf("%q is not a number of seconds: use a whole number from 0 on", text)
	}
	*s.value = time.Duration(n) * time.Second
	return nil
}

func (s seconds) Type() string { return "seconds" }
