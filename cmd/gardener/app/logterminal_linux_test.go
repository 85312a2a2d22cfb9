package app

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/gardener-up/gardener-up/embedded/testskip"
)

func TestLogOnTerminal(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	for name, tc := range map[string]struct{ output, want string }{
		"APP-35 a terminal shows text":                     {"", strings.SplitN(shownLog, "\n", 2)[0]},
		"APP-35 a terminal shows JSON if the flag says so": {logJSON, strings.SplitN(storedLog, "\n", 2)[0]},
	} {
		t.Run(name, func(t *testing.T) {
			screen, terminal := openTerminal(t)
			printLog(t, terminal, colorAuto, tc.output)
			line, err := bufio.NewReader(screen).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.TrimRight(line, "\r\n"); got != tc.want {
				t.Errorf("%q instead of %q", got, tc.want)
			}
		})
	}
}

// openTerminal returns a terminal of 40 columns, and what its user sees.
func openTerminal(t *testing.T) (screen, terminal *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		testskip.OutsideCI(t, "this machine has no terminals: ", err)
	}
	t.Cleanup(func() { _ = screen.Close() })
	if err := unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = terminal.Close() })
	if err := unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 40}); err != nil {
		t.Fatal(err)
	}
	return screen, terminal
}
