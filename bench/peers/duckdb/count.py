"""The top lists of a file of orders by DuckDB: of all time and by window.

Writes lines of scope (window start in ms, or "all"), drink and count.
"""

import sys

import duckdb

orders, answer, window_ms, top, threads = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5])

db = duckdb.connect(config={"threads": threads})
# The items are flattened once, and the counts of all time are the sums of the windows'.
db.execute(
    """
    CREATE TEMP TABLE counts AS
    SELECT start, item.drink AS drink, sum(item.quantity)::BIGINT AS count
    FROM (
      SELECT epoch_ms(ts) // $window * $window AS start, unnest(items) AS item
      FROM read_json($orders, format = 'newline_delimited',
        columns = {ts: 'TIMESTAMP', items: 'STRUCT(drink VARCHAR, quantity BIGINT)[]'})
    )
    GROUP BY ALL
    """,
    {"window": window_ms, "orders": orders},
)
rows = db.execute(
    """
    WITH scopes AS (
      SELECT start::VARCHAR AS scope, drink, count FROM counts
      UNION ALL
      SELECT 'all', drink, sum(count) FROM counts GROUP BY drink
    )
    SELECT scope, drink, count FROM scopes
    QUALIFY row_number() OVER (PARTITION BY scope ORDER BY count DESC, drink) <= $top
    """,
    {"top": top},
).fetchall()
with open(answer, "w", encoding="utf-8") as out:
    for scope, drink, count in rows:
        out.write(f"{scope}\t{drink}\t{count}\n")
