package engine

// Chunk is a run of records, which one goroutine takes apart while others work on other
// chunks.
type Chunk interface {
	// Each calls f with the value of every record in order. A value is valid until Done.
	Each(f func(value []byte))
	// Done gives the chunk back; it is not used any more.
	Done()
}

// Chunks cuts an input into chunks. Next is called by one goroutine; it returns io.EOF
// behind the last chunk, and what is wrong with the input behind the chunks in front of it.
type Chunks interface {
	Next() (Chunk, error)
}
