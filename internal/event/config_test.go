package event

import "testing"

func TestNewDecoderRefuses(t *testing.T) {
	configs := map[string]Config{
		"items as the time":  {TimeField: "items"},
		"time not UTF-8":     {TimeField: "t\xff"},
		"unknown unit":       {TimeUnit: Nanoseconds + 1},
		"negative record":    {MaxRecord: -1},
		"negative items":     {MaxItems: -1},
		"negative name":      {MaxName: -1},
		"negative quantity":  {MaxQuantity: -1},
		"one of many is bad": {TimeField: "ts", MaxRecord: 5, MaxItems: -5},
	}
	for id, config := range configs {
		if decoder, err := NewDecoder(config); err == nil || decoder != nil {
			t.Errorf("%s: got %v, %v", id, decoder, err)
		}
	}
}

func TestUnits(t *testing.T) {
	texts := map[string]Unit{"ms": Milliseconds, "s": Seconds, "us": Microseconds, "ns": Nanoseconds}
	for text, want := range texts {
		if got, err := ParseUnit(text); err != nil || got != want || got.String() != text {
			t.Errorf("%s: got %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "S", "sec", "µs", "ms "} {
		if got, err := ParseUnit(text); err == nil {
			t.Errorf("%q: read as %v", text, got)
		}
	}
	if got := Unit(99).String(); got != "unknown" {
		t.Errorf("unit 99 is %q", got)
	}
}

// TestReasons pins the numbers and the texts, which are stored.
func TestReasons(t *testing.T) {
	texts := []string{"none", "malformed", "no_timestamp", "future", "invalid_quantity", "invalid_drink", "too_large", "late", "null_value", "update"}
	if len(texts) != NumReasons {
		t.Fatalf("there are %d reasons", NumReasons)
	}
	for number, text := range texts {
		reason := Reason(number)
		if reason.String() != text {
			t.Errorf("reason %d is %q, want %q", number, reason, text)
		}
		if got, ok := ParseReason(text); number > 0 && (!ok || got != reason) {
			t.Errorf("%s: read as %d, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "none", "unknown", "Malformed"} {
		if got, ok := ParseReason(text); ok {
			t.Errorf("%q: read as %v", text, got)
		}
	}
	if got := Reason(NumReasons).String(); got != "unknown" {
		t.Errorf("reason %d is %q", NumReasons, got)
	}
}
