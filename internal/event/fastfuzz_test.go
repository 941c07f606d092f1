package event

import (
	"math/rand/v2"
	"testing"
)

// fastSeeds are pairs of an order to learn from and a record to decode.
var fastSeeds = [][2]string{
	{plainOrder, plainOrder},
	{plainOrder, appOrder(1, 2, `{"drink":"tea","quantity":1}`)},
	{appOrder(1, 2, `{"drink":"tea","quantity":1}`), appOrder(3, 3, `{"drink":"té","quantity":01}`)},
	{webOrder(1, 2, `{"drink":"tea","quantity":1}`), webOrder(1, 2, `{"drink":"tea","quantity":1},{"drink":"","quantity":1}`)},
	{timed(`"2026-03-01T10:15:50Z"`), timed(`"2026-03-01T10:60:50Z"`)},
	{timed(`"2026-03-01T10:15:50.1+02:00"`), timed(`"2026-03-01T10:15:59.9999+02:0"`)},
	{timed(`"0001-01-01T00:30:00+00:30"`), timed(`"0001-01-01T00:29:59+00:30"`)},
	{timed(`"9999-12-31T23:59:59Z"`), timed(`"9999-12-31T23:59:59.999-00:01"`)},
	{timed(`null`), timed(`7`)}, {timed(`5`), timed(`-5`)}, {timed(`5`), timed(`null`)}, {timed(`5`), timed(`05`)},
	{timed(`5`), timed(`true`)}, {timed(`5`), timed(`1e3`)}, {timed(`5`), timed(`999999999999999999`)},
	{timed(`5`), timed("\"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x0000:00\"")},
	{quantity(`1`), quantity(`0`)}, {quantity(`1`), quantity(`00`)}, {quantity(`1`), quantity(`1000001`)},
	{quantity(`1`), quantity(`12345678`)}, {quantity(`1`), quantity(`18446744073709551617`)}, {quantity(`1`), quantity(`1.0`)},
	{drink(`"a"`), drink("\"a\x1fb\"")}, {drink(`"a"`), drink("\"abcdefg\x7f\"")}, {drink(`"a"`), drink("\"\xff\"")},
	{drink(`"a"`), drink(`"\""`)}, {drink(`"a"`), drink(`null`)}, {drink(`"a"`), drink(`"a`)}, {drink(`"a"`), drink(`"123456789"`)},
	{`{"items":[{"x":[],"drink":"a","quantity":1},{"drink":"b","quantity":2,"x":[]}]}`, one(`"x":[],"drink":"a","quantity":1,"x":[]`)},
	{one(`"x":{},"drink":"a","quantity":1,"y":{}`), one(`"x":{},"drink":"a","quantity":1,"y":{}`)},
	{one(`"x":{"drink":1,"quantity":"q"},"quantity":1,"drink":"a"`), one(`"x":{"drink":2,"quantity":"\n"},"quantity":1,"drink":"a"`)},
	{`{"a":{"ts":1,"items":[1,2]},"items":[{"drink":"a","quantity":1}]}`, `{"a":{"ts":"x","items":[null,-0.5]},"items":[{"drink":"a","quantity":1}]}`},
	{`{"x":1,"items":[{"drink":"a","quantity":1}],"y":"z","w":null}`, `{"x":-1.5e7,"items":[{"drink":"a","quantity":1}],"y":true,"w":{}}`},
	{`{"dr\u0069nk":1,"items":[{"drink":"a","quantity":1}]}`, `{"dr\u0069nk":2,"items":[{"drink":"b","quantity":1}]}`},
	{"  {\"items\" : [ {\"drink\":\"a\",\"quantity\":1} , {\"drink\":\"a\",\"quantity\":1} ] } ", "  {\"items\" : [ {\"drink\":\"a\",\"quantity\":1} ] } \r\n\t "},
}

// FuzzFastEqualsStrict trains a decoder with one record and has it decode
// another, and changed copies of both. All must come out as without the fast
// path, errors included.
func FuzzFastEqualsStrict(f *testing.F) {
	for i, seed := range fastSeeds {
		f.Add([]byte(seed[0]), []byte(seed[1]), uint64(i), int64(recordTime), uint8(i))
		f.Add([]byte(seed[1]), []byte(seed[0]), uint64(i), int64(-1), uint8(0))
	}
	values, _ := corpus(f)
	for _, value := range values {
		f.Add([]byte(plainOrder), value, uint64(len(value)), int64(recordTime), uint8(0))
	}
	f.Fuzz(func(t *testing.T, first, second []byte, seed uint64, recordTime int64, config uint8) {
		if len(first)+len(second) > 4096 {
			return
		}
		rnd := rand.New(rand.NewPCG(seed, 1))
		d := mustDecoder(t, fastConfigs[int(config)%len(fastConfigs)])
		checkSame(t, d, first, recordTime)
		checkSame(t, d, second, recordTime)
		for range 4 {
			checkSame(t, d, mutate(rnd, first), recordTime)
			checkSame(t, d, mutate(rnd, second), recordTime)
			checkSame(t, d, first, recordTime)
		}
	})
}
