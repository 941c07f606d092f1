package kafka

import (
	"os"
	"testing"
)

// In all tests, memory that is given back is made useless.
func TestMain(m *testing.M) {
	poison = true
	os.Exit(m.Run())
}
