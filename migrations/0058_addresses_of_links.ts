import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// The addresses of shared calendars, as those of feeds (0057).

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE calendar_share_links ADD token_digest bytea`
  yield* sql`
    CREATE TRIGGER calendar_share_links_digest BEFORE INSERT OR UPDATE OF token ON calendar_share_links
    FOR EACH ROW EXECUTE FUNCTION digest_of_token('lkcal_')`
  yield* sql`
    CREATE TRIGGER calendar_share_links_address AFTER INSERT OR DELETE OR UPDATE OF token, token_digest ON calendar_share_links
    FOR EACH ROW EXECUTE FUNCTION keep_address('calendar_share_link')`
})
