package containers

import (
	"archive/tar"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// program is the path of this test binary in its image. It is static.
const program = "/program"

func TestMain(m *testing.M) {
	if os.Args[0] == program && len(os.Args) > 1 {
		os.Exit(act(os.Args[1], os.Args[2:]))
	}
	os.Exit(m.Run())
}

// act is what the containers of the tests do.
func act(verb string, args []string) int {
	switch verb {
	case "serve": // a file, at a port that the pod need not declare
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, syscall.SIGTERM)
		go func() { <-signals; os.Exit(0) }()
		fmt.Fprintln(os.Stderr, http.ListenAndServe(":"+args[0], http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			content, err := os.ReadFile(args[1])
			if err != nil {
				http.Error(w, err.Error(), http.StatusNotFound)
				return
			}
			_, _ = w.Write(content)
		})))
		return 1
	case "write":
		if err := os.WriteFile(args[0], []byte(args[1]), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println("user", os.Getuid())
		return 0
	case "get": // answers 0 if the server answers
		return get(args[0], "", nil)
	case "name": // serves the name of the pod
		name, _ := os.Hostname()
		fmt.Fprintln(os.Stderr, http.ListenAndServe(":"+args[0], http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(w, name) })))
		return 1
	case "redirect": // leads every request elsewhere
		fmt.Fprintln(os.Stderr, http.ListenAndServe(":"+args[0], http.RedirectHandler(args[1], http.StatusFound)))
		return 1
	case "api": // answers 0 if the API server of the cluster answers
		token, authorities := serviceAccount()
		return get(args[0], token, authorities)
	case "resolve":
		addresses, err := net.LookupHost(args[0])
		if err != nil {
			fmt.Println(err)
			return 1
		}
		fmt.Println(len(addresses))
		return 0
	case "connect": // tries each tcp:address or udp:address, and prints those that accept or answer
		return connect(args)
	case "garden":
		return controlGarden(args[0])
	case "admit":
		return admit(args[0], args[1])
	case "aggregate":
		return aggregate(args[0], args[1])
	case "neighbour":
		return playNeighbour()
	case "read":
		content, err := os.ReadFile(args[0])
		if err != nil {
			fmt.Println(err)
			return 1
		}
		_, _ = os.Stdout.Write(content)
		return 0
	case "own": // makes a directory that one user alone may use
		user, _ := strconv.Atoi(args[1])
		if err := errors.Join(os.MkdirAll(args[0], 0o700), os.Chown(args[0], user, user)); err != nil {
			fmt.Println(err)
			return 1
		}
		return 0
	case "owner":
		info, err := os.Stat(args[0])
		if err != nil {
			fmt.Println(err)
			return 1
		}
		stat := info.Sys().(*syscall.Stat_t)
		fmt.Printf("%d:%d %s", stat.Uid, stat.Gid, info.Mode())
		return 0
	case "link": // the second path becomes a link to the first one, whatever it was
		if err := os.Remove(args[1]); err != nil && !errors.Is(err, os.ErrNotExist) {
			fmt.Println(err)
			return 1
		}
		if err := os.Symlink(args[0], args[1]); err != nil {
			fmt.Println(err)
			return 1
		}
		return 0
	case "list":
		entries, err := os.ReadDir(args[0])
		if err != nil {
			fmt.Println(err)
			return 1
		}
		for _, entry := range entries {
			fmt.Println(entry.Name())
		}
		return 0
	case "eat": // takes so many MiB of memory and keeps them
		n, _ := strconv.Atoi(args[0])
		all := make([][]byte, n)
		for i := range all {
			all[i] = bytes.Repeat([]byte{1}, 1<<20)
		}
		<-time.After(time.Hour)
		fmt.Println(len(all))
		return 0
	case "exit":
		code, _ := strconv.Atoi(args[0])
		fmt.Println("ends with", code)
		return code
	}
	fmt.Fprintln(os.Stderr, "unknown verb", verb, strings.Join(args, " "))
	return 2
}

// get prints the answer of a server. authorities are those of its certificate.
func get(url, token string, authorities *x509.CertPool) int {
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: authorities}}}
	request, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := client.Do(request)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer response.Body.Close()
	_, _ = io.Copy(os.Stdout, response.Body)
	return 0
}

// connect prints the destinations that can be reached: those of UDP that answer, and those of TCP that answer, end in order, or wait.
func connect(destinations []string) int {
	var wg sync.WaitGroup
	slots := make(chan struct{}, 32)
	for _, destination := range destinations {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			network, address, _ := strings.Cut(destination, ":")
			conn, err := net.DialTimeout(network, address, 5*time.Second)
			if err != nil {
				return
			}
			defer conn.Close()
			_ = conn.SetDeadline(time.Now().Add(500 * time.Millisecond))
			_, _ = conn.Write([]byte("\x00\x01\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x01a\x00\x00\x01\x00\x01")) // a question to a name server
			n, err := conn.Read(make([]byte, 1))
			timeout, ok := err.(net.Error)
			if n > 0 || network == "tcp" && (err == io.EOF || ok && timeout.Timeout()) {
				fmt.Println(destination)
			}
		})
	}
	wg.Wait()
	return 0
}

// serviceAccount is the one of the pod: its token, and the authorities of the API server.
func serviceAccount() (token string, authorities *x509.CertPool) {
	const dir = "/var/run/secrets/kubernetes.io/serviceaccount/"
	authorities = x509.NewCertPool()
	if pem, err := os.ReadFile(dir + "ca.crt"); err == nil {
		authorities.AppendCertsFromPEM(pem)
	}
	content, _ := os.ReadFile(dir + "token") // without one the server refuses
	return string(content), authorities
}

// writeImage writes an archive with an image of this binary. command is what its containers do, unless their pods say it.
func writeImage(t *testing.T, reference string, command ...string) string {
	t.Helper()
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	var files bytes.Buffer
	w := tar.NewWriter(&files)
	if err := w.WriteHeader(&tar.Header{Name: program[1:], Mode: 0o755, Size: int64(len(self)), Typeflag: tar.TypeReg}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(self); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(files.Bytes())), nil })
	if err != nil {
		t.Fatal(err)
	}
	image, err := mutate.AppendLayers(empty.Image, layer)
	if err == nil {
		image, err = mutate.Config(image, v1.Config{Entrypoint: []string{program}, Cmd: command})
	}
	if err != nil {
		t.Fatal(err)
	}
	config, err := image.ConfigFile()
	if err == nil {
		config.OS, config.Architecture = "linux", runtime.GOARCH
		image, err = mutate.ConfigFile(image, config)
	}
	if err != nil {
		t.Fatal(err)
	}
	tag, err := name.NewTag(reference)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "image.tar")
	if err := tarball.WriteToFile(file, tag, image); err != nil {
		t.Fatal(err)
	}
	return file
}
