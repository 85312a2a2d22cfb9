package restore

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"testing"
	"testing/iotest"
)

func TestCopyDatabase(t *testing.T) {
	for _, size := range []int{0, 1, sha256.Size, chunk - 1, chunk, chunk + 1, chunk + sha256.Size, 2*chunk + 5, 3 * chunk} {
		t.Run(fmt.Sprintf("ETC-10 a database of %d bytes", size), func(t *testing.T) {
			data := make([]byte, size)
			for i := range data {
				data[i] = byte(i * 7)
			}
			sum := sha256.Sum256(data)
			whole := append(bytes.Clone(data), sum[:]...)
			var copied bytes.Buffer
			if err := copyDatabase(&copied, iotest.HalfReader(bytes.NewReader(whole))); err != nil || !bytes.Equal(copied.Bytes(), data) {
				t.Errorf("%d bytes are copied, error %v", copied.Len(), err)
			}
			whole[len(whole)-1]++
			if err := copyDatabase(&copied, bytes.NewReader(whole)); err == nil {
				t.Error("a wrong sum is accepted")
			}
			whole[len(whole)-1]--
			if err := copyDatabase(&copied, bytes.NewReader(whole[:len(whole)-1])); err == nil {
				t.Error("a database that was cut is accepted")
			}
		})
	}
}
