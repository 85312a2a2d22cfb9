package agent

import (
	"bytes"
	"errors"
	"os"
	"strconv"
)

// enterGroup moves this process into the control group of the pod, before it has any other. Every process that it starts is in that group, too. The files
// are closed, so that nothing of the pod has them.
func enterGroup(doors string) error {
	count, err := strconv.Atoi(doors)
	if err != nil {
		return err
	}
	var errs []error
	for i := range count {
		door := os.NewFile(uintptr(networkDescriptor+1+i), "door")
		_, err := door.WriteString("0")
		errs = append(errs, err, door.Close())
	}
	return errors.Join(errs...)
}

// scoreFile has a number that the kernel adds to the score of this process when it has no memory left. It then ends the process with the highest one.
const scoreFile = "/proc/self/oom_score_adj"

// raiseScore does not lower a score, which ordinary users must not.
func raiseScore(least string) error {
	wanted, err := strconv.Atoi(least)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(scoreFile)
	if err != nil {
		return err
	}
	present, err := strconv.Atoi(string(bytes.TrimSpace(content)))
	if err != nil || present >= wanted {
		return err
	}
	return os.WriteFile(scoreFile, []byte(least), 0)
}
