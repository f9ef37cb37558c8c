import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { GUEST_PLACES } from "../../src/guests/places.ts"
import { layerTest } from "../harness.ts"

/** Why a table is not in the list: nothing of a guest is ever written there, or it goes with what is. */
const WITHOUT: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      "access_tokens accounts addresses console_sessions known_browsers oauth_clients oauth_codes oauth_grants oauth_redirects",
      "oauth_refresh_tokens operators sign_in_failures refusals"
    ].flatMap((names) => names.split(" ").map((name) => [name, "who works with the service"]))
  ),
  ...Object.fromEntries(
    [
      "calendar_share_links calendar_share_link_properties default_reservation_tags dictionary_entries group_properties",
      "imported_calendars imported_days knowledge_bases knowledge_fragments listings properties property_feeds property_groups",
      "property_tags reservation_tags room_type_properties room_types staff_properties staffs tag_properties tag_room_types",
      "automation_rules channel_accounts connectors removed_stays"
    ].flatMap((names) => names.split(" ").map((name) => [name, "what the host has and says himself"]))
  ),
  ...Object.fromEntries(
    [
      "events event_consumers forgotten_events webhook_deliveries webhook_lanes webhook_receivers webhook_subscriptions",
      "connector_messages listing_comparisons listing_lanes listing_pushes automation_stays answer_lanes",
      "message_lanes trail schema_migrations channel_payments special_offers transaction_shares image_shares"
    ].flatMap((names) => names.split(" ").map((name) => [name, "codes, days, money and names of fields, no words"]))
  ),
  ...Object.fromEntries(
    [
      "sandbox_accounts sandbox_asked sandbox_days sandbox_listings sandbox_messages sandbox_offers sandbox_orders sandbox_payments",
      "sandbox_reviews sandbox_threads sandbox_words"
    ].flatMap((names) => names.split(" ").map((name) => [name, "the channel that is played: its guests are made up"]))
  ),
  images: "an image goes with what refers to it",
  image_bytes: "an image goes with what refers to it",
  automation_plans: "why something was not done is forgotten by stay (automation/guest-places.ts)",
  idempotency_keys: "forgotten by the codes in it (changes/guest-places.ts)",
  webhook_attempts: "what receivers answered is forgotten by record (deliveries/guest-places.ts)"
}

layer(layerTest)("where something of a guest may be", (it) => {
  it.effect("is said of every table there is, in one way", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ name: string }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`
      const listed = [...GUEST_PLACES.map(({ table }) => table), ...Object.keys(WITHOUT)]
      assert.deepStrictEqual(listed.toSorted(), rows.map(({ name }) => name).toSorted())
    })
  )
})
