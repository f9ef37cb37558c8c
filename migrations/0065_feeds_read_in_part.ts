import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// A feed never opens a day because of a part that could not be read.
//
// `unreadable`: the unreadable parts of the last applied feed, or null.
// `kept`: days that this feed did not name but that stay blocked.
// `accepted_digest`: the digest of the feed that the host accepted although parts of it were unreadable.
// `skip_unavailable`: whether to ignore a "Not available" block at the end of the feed once its end has moved forward.
// `unavailable_before`: the end of that block in the last feed that was read completely.
// `unavailable_moved`: whether that end has moved forward.
//
// The previous release neither reads nor writes these columns. It writes digests without a version of the reader, so this
// release reads each calendar again that the previous one fetched (feed-digest.ts).

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE imported_calendars
      ADD unreadable text,
      ADD kept datemultirange NOT NULL DEFAULT '{}',
      ADD accepted_digest text,
      ADD skip_unavailable boolean NOT NULL DEFAULT false,
      ADD unavailable_before date,
      ADD unavailable_moved boolean NOT NULL DEFAULT false`
})
