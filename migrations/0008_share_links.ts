import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Links to a calendar of free and taken days. The token is stored as it is, because GET /calendar_share_links shows the
// address again; it opens the calendar and nothing else. Deleting a link deletes its row, so no token comes back.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE calendar_share_links (
      operator_id bigint NOT NULL REFERENCES operators (id),
      id bigint GENERATED ALWAYS AS IDENTITY,
      scope text NOT NULL CHECK (scope IN ('entire', 'partial')),
      token text NOT NULL,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (operator_id, id)
    )`
  yield* sql`CREATE UNIQUE INDEX calendar_share_links_token ON calendar_share_links (token)`
  // At most one link to the entire calendar an operator, however many ask for it at once.
  yield* sql`CREATE UNIQUE INDEX calendar_share_links_entire ON calendar_share_links (operator_id) WHERE scope = 'entire'`

  // The properties of a partial link; an entire one has none here and covers whatever there is when it is opened.
  yield* sql`
    CREATE TABLE calendar_share_link_properties (
      operator_id bigint NOT NULL,
      link_id bigint NOT NULL,
      property_id bigint NOT NULL,
      PRIMARY KEY (operator_id, link_id, property_id),
      FOREIGN KEY (operator_id, link_id) REFERENCES calendar_share_links (operator_id, id) ON DELETE CASCADE,
      FOREIGN KEY (operator_id, property_id) REFERENCES properties (operator_id, id) ON DELETE CASCADE
    )`
  yield* sql`CREATE INDEX calendar_share_link_properties_property ON calendar_share_link_properties (operator_id, property_id)`
})
