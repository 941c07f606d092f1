package avro

import "windowed/internal/event"

// typ is a type at one place of a document: how its bytes are read, and what for. Types
// that nothing is wanted of are shared by all their places.
type typ struct {
	kind   kind
	wanted bool
	spot   event.Spot // if wanted

	fields   []*typ    // of a record
	defaults []missing // of a record: what the writer does not know
	items    *typ      // of an array without wanted places, or the values of a map
	places   []*typ    // of an array with wanted places, up to the last
	keys     []key     // wanted values of a map
	branches []*typ    // of a union
	symbols  [][]byte  // of an enum
	size     int       // in bytes, if that is always the same
	empty    bool      // it takes no bytes

	use   use // of a value that is wanted
	scale int // of a decimal

	step step
	item bool // an item, and a record
	part int  // of the name, if that is all it is
}

// step is how a field is read, for those that most fields are like. They would be read
// alike without: a record costs half as much with them.
type step uint8

const (
	anyStep step = iota
	passLong
	passInt
	passText
	passChunk
	takeName
	takeQuantity
	takeMillis
)

// stepOf finds the step of a finished type.
func (t *typ) stepOf() step {
	if !t.wanted {
		return map[kind]step{
			longKind: passLong, intKind: passInt, stringKind: passText, bytesKind: passText,
			booleanKind: passChunk, floatKind: passChunk, doubleKind: passChunk, fixedKind: passChunk,
		}[t.kind]
	}
	if t.spot.IsItem() || !t.spot.IsValue() || t.spot.IsOperation() {
		return anyStep
	}
	named, quantity, time := len(t.spot.Parts()), t.spot.IsQuantity(), t.spot.IsTime()
	switch {
	case t.kind == stringKind && named == 1 && !quantity && !time:
		t.part = t.spot.Parts()[0]
		return takeName
	case t.kind == intKind && quantity && named == 0 && !time:
		return takeQuantity
	case t.kind == longKind && t.use == millisUse && time && named == 0 && !quantity:
		return takeMillis
	}
	return anyStep
}

// missing is a field that the writer does not know: the reader's type and default.
type missing struct {
	typ   *typ
	bytes []byte
}

type key struct {
	name string
	typ  *typ
}

// kind is how the bytes are laid out.
type kind uint8

const (
	nullKind kind = iota
	booleanKind
	intKind
	longKind
	floatKind
	doubleKind
	bytesKind
	stringKind
	fixedKind
	enumKind
	arrayKind
	mapKind
	unionKind
	recordKind
)

var kindNames = [...]string{
	nullKind: "null", booleanKind: "boolean", intKind: "int", longKind: "long", floatKind: "float", doubleKind: "double",
	bytesKind: "bytes", stringKind: "string", fixedKind: "fixed", enumKind: "enum", arrayKind: "array", mapKind: "map",
	unionKind: "union", recordKind: "record",
}

func kindOf(name string) (kind, bool) {
	if name == "error" {
		return recordKind, true
	}
	for k, n := range kindNames {
		if n == name {
			return kind(k), true
		}
	}
	return 0, false
}

// sizes are those of kinds that have one, but for fixed.
var sizes = map[kind]int{booleanKind: 1, floatKind: 4, doubleKind: 8}

// use is what the bytes of a wanted value mean.
type use uint8

const (
	plainUse use = iota
	millisUse
	microsUse
	nanosUse
	localMillisUse
	localMicrosUse
	localNanosUse
	dateUse
	clockUse // a time of day
	decimalUse
	uuidUse // 16 bytes
)

// logical are Avro's logical types by the kind they are on, and the names that Kafka
// Connect and Debezium give to plain numbers.
var logical = map[kind]map[string]use{
	longKind: {
		"timestamp-millis": millisUse, "timestamp-micros": microsUse, "timestamp-nanos": nanosUse,
		"local-timestamp-millis": localMillisUse, "local-timestamp-micros": localMicrosUse, "local-timestamp-nanos": localNanosUse,
		"time-micros": clockUse,
		"org.apache.kafka.connect.data.Timestamp": millisUse,
		"io.debezium.time.Timestamp":              localMillisUse,
		"io.debezium.time.MicroTimestamp":         localMicrosUse,
		"io.debezium.time.NanoTimestamp":          localNanosUse,
		"io.debezium.time.MicroTime":              clockUse,
		"io.debezium.time.NanoTime":               clockUse,
	},
	intKind: {
		"date": dateUse, "time-millis": clockUse,
		"org.apache.kafka.connect.data.Date": dateUse, "io.debezium.time.Date": dateUse, "io.debezium.time.Time": clockUse,
	},
	bytesKind: {"decimal": decimalUse},
	fixedKind: {"decimal": decimalUse, "uuid": uuidUse},
}
