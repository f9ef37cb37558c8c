import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Every stay has a page of its own for its guests. guide_token is the last part of its address; check_in_guide_url, which was
// always empty, is not read any more and goes with a later release. identity_image_count is of images that came by the page,
// also those that are gone.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The default is of stays to come: those there are get theirs in pieces (0044), and nobody waits for that. It has 122 random
  // bits, and the prefix by which telemetry knows what nobody is to read.
  yield* sql`
    ALTER TABLE stays ADD guide_token text, ADD check_in_approved_at timestamptz,
      ADD identity_image_count integer NOT NULL DEFAULT 0`
  yield* sql`
    ALTER TABLE stays ALTER guide_token SET DEFAULT 'lkguest_' || replace(gen_random_uuid()::text, '-', '')`
})
