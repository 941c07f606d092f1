// Package kafka is everything windowed does with a broker: its topics, the session that
// reads orders and commits transactions (exactly once or at least once), the follower
// that reads changelogs into the state, and the embedded broker.
package kafka
