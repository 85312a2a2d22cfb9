package trust

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/embedded/testskip"
)

// strangerVariable makes the binary of this test act as another Unix user instead of running tests.
const strangerVariable = "GARDENER_TEST_STRANGER"

// nobody is the user and group ID of that user.
const nobody = 65534

func TestMain(m *testing.M) {
	if os.Getenv(strangerVariable) == "" {
		os.Exit(m.Run())
	}
	var order attempts
	err := json.NewDecoder(os.Stdin).Decode(&order)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(order.try())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// attempts are what the other user tries.
type attempts struct {
	Paths     []string // to read, to write to, to list or to connect to, by what is there
	Sockets   []string // addresses of UNIX sockets
	Listeners []string // host:port, TCP
}

// successes are the attempts that succeeded, each with what was done.
type successes struct {
	User    int
	Opened  []string
	Answers map[string]answers // by listener
}

func (a attempts) try() successes {
	found := successes{User: os.Geteuid(), Answers: map[string]answers{}}
	for _, path := range a.Paths {
		if how := open(path); how != "" {
			found.Opened = append(found.Opened, how+" "+path)
		}
	}
	for _, address := range a.Sockets {
		if connection, err := net.DialTimeout("unix", address, time.Second); err == nil {
			_ = connection.Close()
			found.Opened = append(found.Opened, "connect "+address)
		}
	}
	for _, address := range a.Listeners {
		found.Answers[address] = ask(address)
	}
	return found
}

// open says how the path can be opened; nothing if it cannot.
func open(path string) string {
	if _, err := os.ReadDir(path); err == nil {
		return "list"
	}
	for how, flag := range map[string]int{"read": os.O_RDONLY, "write": os.O_WRONLY} {
		file, err := os.OpenFile(path, flag|syscall.O_NONBLOCK, 0) // opening a pipe must not wait
		if err != nil {
			continue
		}
		// The kernel lets everybody open some files of /proc and refuses to show their content.
		_, err = file.Read(make([]byte, 1))
		_ = file.Close()
		if how == "write" || err == nil {
			return how
		}
	}
	return ""
}

// asStranger carries out the attempts as another user.
func (f *fixture) asStranger(order attempts) successes {
	f.t.Helper()
	if os.Geteuid() != 0 {
		testskip.OutsideCI(f.t, "only root can become another user")
	}
	input, err := json.Marshal(order)
	if err != nil {
		f.t.Fatal(err)
	}
	binary := filepath.Join(f.public, "stranger") // the directory of the test's own binary is closed to other users
	self, err := os.ReadFile("/proc/self/exe")
	if err == nil {
		err = os.WriteFile(binary, self, 0o755)
	}
	if err != nil {
		f.t.Fatal(err)
	}
	defer os.Remove(binary)
	cmd := exec.CommandContext(f.t.Context(), binary)
	cmd.Dir, cmd.Env = "/", []string{strangerVariable + "=1"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	var output, errors bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &output, &errors
	if err := cmd.Run(); err != nil {
		f.t.Fatalf("run as another user: %v: %s", err, errors.String())
	}
	var found successes
	if err := json.Unmarshal(output.Bytes(), &found); err != nil {
		f.t.Fatal(err)
	}
	if found.User != nobody {
		f.t.Fatalf("the attempts were made by user %d", found.User)
	}
	return found
}

// below lists a directory and everything in it.
func (f *fixture) below(dir string) []string {
	f.t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil {
			found = append(found, path)
		}
		return nil // what has gone meanwhile
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return found
}
