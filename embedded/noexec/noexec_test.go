package noexec

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

const child = "NOEXEC_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(child) == "" {
		os.Exit(m.Run())
	}
	if err := Forbid(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for range 20 { // on different threads
		done := make(chan error)
		go func() { done <- exec.Command("/proc/self/exe").Run() }()
		if err := <-done; !errors.Is(err, unix.EPERM) {
			fmt.Printf("a program starts: %v\n", err)
			os.Exit(1)
		}
	}
	if _, err := os.ReadFile("/proc/self/status"); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("no program starts")
}

func TestForbid(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), child+"=true")
	output, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(output), "no program starts") {
		t.Errorf("APP-19 %v: %s", err, output)
	}
}
