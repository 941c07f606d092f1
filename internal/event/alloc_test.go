package event

import "testing"

func TestDecodeDoesNotAllocate(t *testing.T) {
	values := map[string]string{
		"plain":            plainOrder,
		"integer time":     `{"ts":1772360150520,"items":[{"drink":"tea","quantity":1}]}`,
		"escaped drink":    drink(`"caf\u00e9"`),
		"escaped names":    `{"t\u0073":"1970-01-01T00:00:00\u005a","items":[{"dr\u0069nk":"tea","quantity":1}]}`,
		"not ASCII":        drink(`"café 🍵"`),
		"unknown members":  `{"x":{"a":[1,{"b":null}],"c":"d"},"items":[{"drink":"tea","quantity":1,"y":[{}]}]}`,
		"record timestamp": `{"ts":null,"items":[{"drink":"tea","quantity":1}]}`,
	}
	for id, text := range values {
		decoder := mustDecoder(t, Config{TimeField: "ts"})
		value := []byte(text)
		allocs := testing.AllocsPerRun(100, func() {
			if _, fault := decoder.Decode(value, 0); fault != nil {
				t.Fatal(fault)
			}
		})
		if allocs != 0 {
			t.Errorf("%s: %v allocations", id, allocs)
		}
	}
}

// TestDecodeReusesMemory checks what an average of allocations would hide: that
// nothing is kept from event to event.
func TestDecodeReusesMemory(t *testing.T) {
	decoder := mustDecoder(t, Config{})
	value := []byte(drink(`"caf\u00e9"`))
	for range 10_000 {
		if _, fault := decoder.Decode(value, 0); fault != nil {
			t.Fatal(fault)
		}
	}
	if len(decoder.arena) > 16 || len(decoder.items) > 1 {
		t.Errorf("%d bytes of names and %d items are kept", len(decoder.arena), len(decoder.items))
	}
}
