package s3

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// algorithm is the version of signatures that all object stores accept.
const algorithm = "AWS4-HMAC-SHA256"

// sign adds the headers that prove who asks, for a request whose body has this SHA-256.
func sign(request *http.Request, c Credentials, bodySum string, now time.Time) {
	stamp := now.UTC().Format("20060102T150405Z")
	request.Header.Set("X-Amz-Content-Sha256", bodySum)
	request.Header.Set("X-Amz-Date", stamp)
	headers := map[string]string{"host": request.URL.Host}
	for name, values := range request.Header {
		headers[strings.ToLower(name)] = strings.TrimSpace(strings.Join(values, ","))
	}
	names := slices.Sorted(maps.Keys(headers))
	var lines strings.Builder
	for _, name := range names {
		fmt.Fprintf(&lines, "%s:%s\n", name, headers[name])
	}
	signed := strings.Join(names, ";")
	canonical := strings.Join([]string{
		request.Method, request.URL.EscapedPath(), request.URL.RawQuery, lines.String(), signed, bodySum,
	}, "\n")
	scope := strings.Join([]string{stamp[:8], c.Region, "s3", "aws4_request"}, "/")
	key := []byte("AWS4" + c.SecretAccessKey)
	for _, part := range strings.Split(scope, "/") {
		key = mac(key, part)
	}
	signature := mac(key, strings.Join([]string{algorithm, stamp, scope, sum([]byte(canonical))}, "\n"))
	request.Header.Set("Authorization", fmt.Sprintf("%s Credential=%s/%s,SignedHeaders=%s,Signature=%s",
		algorithm, c.AccessKeyID, scope, signed, hex.EncodeToString(signature)))
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

func sum(content []byte) string {
	out := sha256.Sum256(content)
	return hex.EncodeToString(out[:])
}

// escape leaves only letters, digits and -._~ as they are, and slashes if wanted. Signatures need exactly this form.
func escape(text string, slashes bool) string {
	var out strings.Builder
	for _, b := range []byte(text) {
		switch {
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', '0' <= b && b <= '9', strings.IndexByte("-._~", b) >= 0, b == '/' && slashes:
			out.WriteByte(b)
		default:
			fmt.Fprintf(&out, "%%%02X", b)
		}
	}
	return out.String()
}

// query is the text of parameters, in the form and order that signatures need.
func query(parameters url.Values) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		for _, value := range parameters[name] {
			out = append(out, escape(name, false)+"="+escape(value, false))
		}
	}
	return strings.Join(out, "&")
}
