import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// A feed opens no day because of a part that could not be read. unreadable names such parts of the feed that was applied last;
// null: all of it was read. kept are the days that this feed did not name and that stayed busy. accepted_digest is the digest of
// such a feed that the host accepted as read.
//
// skip_unavailable: a "Not available" block at the end of the feed closes no day once its end moved forward. unavailable_before
// is that end when the feed was last read whole, unavailable_moved whether it has moved.
//
// The release before this neither reads nor writes these columns. It writes digests without the number of a reader, so each
// calendar that it fetched is read again by this one (feed-digest.ts).

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
