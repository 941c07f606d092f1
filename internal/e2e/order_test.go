//go:build unix

package e2e

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// An order, written and read with encoding/json: not the program's own decoder.
type (
	order struct {
		OrderID int64           `json:"order_id"`
		ShopID  int64           `json:"shop_id"`
		TS      json.RawMessage `json:"ts,omitempty"`
		Items   []item          `json:"items"`
	}
	item struct {
		Drink    string `json:"drink"`
		Quantity uint64 `json:"quantity"`
	}
)

// orderAt is the value of an order at an event time in ms.
func orderAt(ms int64, items ...item) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	ts, _ := json.Marshal(time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z"))
	if err := enc.Encode(order{OrderID: ms, ShopID: 7, TS: ts, Items: items}); err != nil {
		panic(err)
	}
	return bytes.TrimSpace(b.Bytes())
}

// to is an order record for an input partition.
func to(partition int32, value []byte) *kgo.Record {
	return &kgo.Record{Topic: names.Orders, Partition: partition, Value: value}
}

// one is an order of one drink.
func one(ms int64, drink string, quantity uint64) []byte {
	return orderAt(ms, item{Drink: drink, Quantity: quantity})
}

// bad are values that must be refused, by their reason. The model knows these only, so
// a test may send them anywhere.
var bad = map[string]string{
	``:              "malformed",
	`not json`:      "malformed",
	`[1]`:           "malformed",
	`{}`:            "malformed",
	`{"items":[]}`:  "malformed",
	`{"items":[1]}`: "malformed",
	`{"ts":"yesterday","items":[{"drink":"latte","quantity":1}]}`:      "malformed",
	`{"items":[{"drink":"latte","quantity":1}]} trailing`:              "malformed",
	`{"items":[{"drink":"latte","quantity":1}],"items":[{"drink":1}]}`: "malformed",
	`{"items":[{"quantity":1}]}`:                                       "invalid_drink",
	`{"items":[{"drink":"","quantity":1}]}`:                            "invalid_drink",
	`{"items":[{"drink":7,"quantity":1}]}`:                             "invalid_drink",
	`{"items":[{"drink":"latte"}]}`:                                    "invalid_quantity",
	`{"items":[{"drink":"latte","quantity":0}]}`:                       "invalid_quantity",
	`{"items":[{"drink":"latte","quantity":-1}]}`:                      "invalid_quantity",
	`{"items":[{"drink":"latte","quantity":2.5}]}`:                     "invalid_quantity",
	`{"items":[{"drink":"latte","quantity":"2"}]}`:                     "invalid_quantity",
	`{"items":[{"drink":"latte","quantity":1000001}]}`:                 "invalid_quantity",
	// The good item before the bad one must not be counted.
	`{"items":[{"drink":"latte","quantity":1},{"drink":"tea","quantity":0}]}`: "invalid_quantity",
}

// millis reads an order's time: RFC 3339 or an integer of ms; recordTime if it has none.
func millis(ts json.RawMessage, recordTime time.Time) (int64, error) {
	if len(ts) == 0 || string(ts) == "null" {
		return recordTime.UnixMilli(), nil
	}
	if ts[0] != '"' {
		var ms int64
		err := json.Unmarshal(ts, &ms)
		return ms, err
	}
	var t time.Time
	err := json.Unmarshal(ts, &t)
	return t.UnixMilli(), err
}
