// Package realkafka starts a real Apache Kafka (KRaft mode, no Docker) on
// loopback for tests. It needs Java 17 or newer, and once Maven to fetch the
// jars; both are looked for on the PATH. It runs on Linux and other Unix
// systems. On Linux the brokers also die with the process that started them.
//
// Tests call Start, or New in a TestMain. A broker for manual runs:
//
//	go run ./internal/realkafka/run --brokers=1
//
// The jars (and a class data archive, which halves the start) are kept in
// $KAFKA_JARS, or else below the user's cache directory.
//
// To know when writing tests with it:
//   - With one broker, SIGKILL right after a commit loses that transaction in
//     the broker, and its group never goes on. Tests that kill and count take
//     three brokers, or Stop, or call Settle before Kill.
//   - A commit can be read a little after it returned: ReadCommitted waits for
//     that, a consumer of the test's own needs Settle.
//   - kgo and kadm cache the list of brokers. What is asked here is asked of a
//     running broker directly.
//   - A start costs seconds: tests that kill nothing can share one cluster, made
//     in TestMain with New, if their topics, groups and transactional ids differ.
package realkafka
