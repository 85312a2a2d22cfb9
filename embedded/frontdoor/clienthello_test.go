package frontdoor

import (
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"strings"
	"testing"
	"testing/iotest"
)

// hello returns the bytes that a client sends first.
func hello(t testing.TB, config *tls.Config) []byte {
	t.Helper()
	client, server := net.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = tls.Client(client, config).Handshake()
	}()
	header := make([]byte, 5)
	if _, err := io.ReadFull(server, header); err != nil {
		t.Fatal(err)
	}
	body := make([]byte, int(header[3])<<8|int(header[4]))
	if _, err := io.ReadFull(server, body); err != nil {
		t.Fatal(err)
	}
	_ = server.Close()
	<-done
	return append(header, body...)
}

// fragmented splits the handshake message of one record into records of size bytes.
func fragmented(record []byte, size int) []byte {
	var out []byte
	for body := record[5:]; len(body) > 0; {
		n := min(size, len(body))
		out = append(out, record[0], record[1], record[2], byte(n>>8), byte(n))
		out = append(out, body[:n]...)
		body = body[n:]
	}
	return out
}

func TestReadServerName(t *testing.T) {
	modern := hello(t, &tls.Config{ServerName: "api.garden.test"})
	old := hello(t, &tls.Config{ServerName: "api.garden.test", MaxVersion: tls.VersionTLS12})
	long := hello(t, &tls.Config{ServerName: strings.Repeat("a.", 120) + "test", NextProtos: protocols(700)})
	huge := hello(t, &tls.Config{ServerName: "api.garden.test", NextProtos: protocols(3000)})
	nameless := hello(t, &tls.Config{InsecureSkipVerify: true})

	for name, tc := range map[string]struct {
		input   io.Reader
		want    string
		wantErr bool
	}{
		"TLS 1.3":                             {bytes.NewReader(modern), "api.garden.test", false},
		"TLS 1.2":                             {bytes.NewReader(old), "api.garden.test", false},
		"one byte per packet":                 {iotest.OneByteReader(bytes.NewReader(modern)), "api.garden.test", false},
		"records of 20 bytes":                 {bytes.NewReader(fragmented(modern, 20)), "api.garden.test", false},
		"several kilobytes":                   {bytes.NewReader(long), strings.Repeat("a.", 120) + "test", false},
		"no name":                             {bytes.NewReader(nameless), "", false},
		"more than the limit":                 {bytes.NewReader(fragmented(huge, 1000)), "", true},
		"an end in the middle":                {bytes.NewReader(modern[:len(modern)-1]), "", true},
		"nothing":                             {bytes.NewReader(nil), "", true},
		"another protocol":                    {strings.NewReader("GET / HTTP/1.1\r\n\r\n"), "", true},
		"an application record":               {bytes.NewReader([]byte{23, 3, 3, 0, 1, 0}), "", true},
		"a record longer than records may be": {bytes.NewReader([]byte{22, 3, 1, 255, 255}), "", true},
	} {
		t.Run(name, func(t *testing.T) {
			got, head, err := readServerName(tc.input)
			if got != tc.want || (err != nil) != tc.wantErr {
				t.Errorf("got %q, %v", got, err)
			}
			if len(head) > maxHello {
				t.Errorf("read %d bytes", len(head))
			}
		})
	}
}

func TestReadServerNameKeepsWhatItReads(t *testing.T) {
	input := append(fragmented(hello(t, &tls.Config{ServerName: "api.garden.test"}), 100), "what follows"...)
	reader := bytes.NewReader(input)
	_, head, err := readServerName(reader)
	if err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(reader)
	if !bytes.Equal(append(head, rest...), input) {
		t.Error("bytes are lost or changed")
	}
}

func protocols(count int) []string {
	out := make([]string, count)
	for i := range out {
		out[i] = "protocol"
	}
	return out
}

func FuzzReadServerName(f *testing.F) {
	f.Add(hello(f, &tls.Config{ServerName: "api.garden.test"}))
	f.Add(fragmented(hello(f, &tls.Config{ServerName: "a.b", MaxVersion: tls.VersionTLS12}), 30))
	f.Add([]byte{22, 3, 1, 0, 4, 1, 0, 0, 0})
	f.Fuzz(func(t *testing.T, input []byte) {
		name, head, err := readServerName(bytes.NewReader(input))
		if len(head) > maxHello || !bytes.HasPrefix(input, head) {
			t.Errorf("read %d of %d bytes, changed", len(head), len(input))
		}
		if err != nil && looksLikeTLS(head) && name != "" {
			t.Errorf("a name %q in spite of %v", name, err)
		}
	})
}
