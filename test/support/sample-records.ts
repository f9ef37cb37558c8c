import { assert } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { addDays, dateInZone } from "../../src/contract/time.ts"
import { newPublicCode } from "../../src/domain/guests/conversations/conversation-lookup.ts"
import { searchVectorSql, toKnowledgeFragments } from "../../src/domain/knowledge/search/fragments.ts"
import { formatFeedCursor } from "../../src/domain/webhooks/event-feed/cursor.ts"
import { insertConversation } from "./conversations.ts"
import {
  createOperator,
  insertAccount,
  insertOrder,
  insertProperty,
  type OperatorOptions,
  type TestOperator,
  typedClient,
  withToken
} from "./harness.ts"
import { insertCalendarStay } from "./imported-calendars.ts"
import { insertChannelAccount, insertListing } from "./listings.ts"
import { insertDeliveries } from "./webhook-deliveries.ts"

// An operator that owns a record of every kind. A family adds a record of every new kind here: without
// a record, a contract test cannot prove that other operators never see it.

/** The client of a partner, which every installation of the tests has. */
export const SAMPLE_PARTNER = {
  client_id: "lkapp_sample",
  redirect_uri: "https://ledger.example.com/connected"
} as const

/** The operator of a sample world, and the ids and codes of its records. */
export interface SampleRecords extends TestOperator {
  readonly property_id: number
  readonly other_property_id: number
  readonly stay_id: number
  readonly transaction_id: number
  readonly room_type_id: number
  readonly group_id: number
  readonly tag_id: number
  readonly reservation_tag_id: number
  readonly webhook_id: number
  readonly delivery_id: string
  readonly staff_id: number
  readonly task_id: number
  readonly share_link_id: number
  readonly channel_account_id: number
  readonly calendar_id: number
  readonly feed_id: number
  readonly knowledge_base_id: number
  readonly plan_id: number
  readonly rule_id: number
  readonly paused_rule_id: number
  readonly token_id: number
  readonly grant_id: number
  readonly sub_account_id: number
  readonly disabled_account_id: number
  readonly today: string
  readonly reservation_code: string
  readonly pending_code: string
  readonly calendar_stay_code: string
  readonly reviewed_code: string
  readonly reviewing_code: string
  readonly listing_id: string
  readonly vrbo_listing_id: string
  readonly conversation_id: string
  readonly last_message: string
  readonly special_offer_id: string
}

/** The four weeks after a day. */
export const toDays = (today: string) => ({ start_date: addDays(today, 1), end_date: addDays(today, 28) })

export const toSampleCursor = (operatorId: number): string => formatFeedCursor({ operatorId, position: 1 })

/** A calendar that a property imports, of which a part could not be read, and a day that stays blocked because of that. */
const insertCalendarWithBusyDay = Effect.fnUntraced(function* (operatorId: number, propertyId: number) {
  const sql = yield* SqlClient.SqlClient
  const [calendar] = yield* sql<{ id: number }>`
    WITH calendar AS (
      INSERT INTO imported_calendars (operator_id, property_id, url, host, due_at, created_at, state, digest, unreadable, kept)
      VALUES (${operatorId}, ${propertyId}, 'https://calendars.example.com/1.ics', 'calendars.example.com', 'infinity', now(),
        'ok', ${`2:of ${operatorId}`}, '1 part of the calendar could not be read', '{[2027-12-24,2027-12-25)}')
      RETURNING operator_id, id, property_id
    ), busy AS (
      INSERT INTO imported_days (operator_id, calendar_id, day, property_id, echo)
      SELECT operator_id, id, '2027-12-24', property_id, false FROM calendar
    )
    SELECT id FROM calendar`
  yield* sql`
    INSERT INTO property_feeds (operator_id, property_id, token, created_at)
    VALUES (${operatorId}, ${propertyId}, ${`lkfeed_of_${operatorId}`}, now())`
  // A house calendar, which all operations accept.
  const [feed] = yield* sql<{ id: number }>`
    WITH next AS (SELECT nextval(pg_get_serial_sequence('property_feeds', 'id')) AS id)
    INSERT INTO property_feeds (operator_id, id, property_id, grant_id, house_fields, door_code_source, token, created_at)
    OVERRIDING SYSTEM VALUE
    SELECT ${operatorId}, id, ${propertyId}, -id, '{guest_name,door_code}', 'reservation', ${`lkfeed_house_of_${operatorId}`}, now()
    FROM next RETURNING id`
  return {
    calendar_id: calendar?.id ?? assert.fail("there is no calendar"),
    feed_id: feed?.id ?? assert.fail("there is no feed")
  }
}, Effect.orDie)

/** Of an entry that the operator alone has; ids of dictionaries are each operator's own. */
export const categoryIdOf = (operatorId: number): number => 20_000 + operatorId

/** Records no operation makes, and the guest of a stay that is there already. */
const insertDirectRecords = Effect.fnUntraced(function* (operatorId: number, stayId: number, accountId: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO dictionary_entries (operator_id, dictionary, id, name)
    VALUES (${operatorId}, 'income_items', ${categoryIdOf(operatorId)}, 'Airport transfer')`
  yield* sql`
    INSERT INTO channel_payments (operator_id, account_id, payment_id, channel_id, kind, amount, currency, paid_at, created_at)
    VALUES (${operatorId}, ${accountId}, 'P-1', '90001', 'payment', 420, 'EUR', now(), now())`
  yield* sql`
    INSERT INTO quotes (operator_id, quote_id, check_in_date, check_out_date, number_of_guests, terms, created_at, expires_at)
    VALUES (${operatorId}, 'quote of ' || ${operatorId}::bigint, '2027-06-01', '2027-06-03', 2, '{}', now(), '2099-01-01')`
  yield* sql`
    WITH guest AS (
      INSERT INTO guests (operator_id, stay_id, name) VALUES (${operatorId}, ${stayId}, 'Ada Lovelace')
      RETURNING operator_id, id, stay_id
    )
    INSERT INTO identity_images (operator_id, order_id, guest_id, large_url, extra_large_url, created_at)
    SELECT operator_id, stays.order_id, guest.id, 'https://example.com/large', 'https://example.com/extra', now()
    FROM guest JOIN stays USING (operator_id) WHERE stays.id = guest.stay_id`
  yield* sql`
    UPDATE stays SET id_required = 'required_with_review' WHERE operator_id = ${operatorId} AND id = ${stayId}`
  yield* sql`
    INSERT INTO removed_stays (operator_id, order_id, last_room) SELECT operator_id, order_id, 9 FROM stays WHERE operator_id = ${operatorId} AND id = ${stayId}`
})

/** An image that is kept, with its bytes and its share. */
const insertImage = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    WITH image AS (
      INSERT INTO images (operator_id, token, kind, bytes, created_at)
      VALUES (${operatorId}, 'image of ' || ${operatorId}::bigint, 'message', 4, now())
      RETURNING operator_id, id
    )
    INSERT INTO image_bytes (operator_id, image_id, content) SELECT operator_id, id, '\\xffd8ffd9'::bytea FROM image`
  yield* sql`INSERT INTO image_shares (operator_id, bytes) VALUES (${operatorId}, 4)`
}, Effect.orDie)

/** A guest wrote twice and the host's answer waits to be sent; answers what the guest's last message is called. */
const insertConversationMessages = Effect.fnUntraced(function* (
  operatorId: number,
  code: string,
  reservation_code: string
) {
  const sql = yield* SqlClient.SqlClient
  const lastMessageCode = newPublicCode()
  yield* sql`
    WITH conversation AS (SELECT * FROM conversations WHERE code = ${code}), lane AS (
      INSERT INTO message_lanes (operator_id, conversation_id, account_id, waiting, due_at)
      SELECT operator_id, id, account_id, 1, 'infinity' FROM conversation
    )
    INSERT INTO messages (operator_id, conversation_id, code, sender_role, display_type, content, delivery, created_at)
    SELECT conversation.operator_id, conversation.id, said.code, role, 'Text', said.content, delivery, '1970-01-01'
    FROM conversation, (VALUES (1, ${newPublicCode()}, 'guest', 'Is it quiet?', NULL), (2, ${lastMessageCode}, 'guest', 'At night?', NULL),
      (3, ${newPublicCode()}, 'host', 'It is.', 'queued')) AS said (nth, code, role, content, delivery)
    ORDER BY nth`
  yield* sql`
    UPDATE orders SET conversation_id = ${code}
    WHERE operator_id = ${operatorId} AND reservation_code = ${reservation_code}`
  return lastMessageCode
}, Effect.orDie)

/** What the guest of a conversation was offered; answers the channel's own id of it. */
const insertSpecialOffer = Effect.fnUntraced(function* (operatorId: number, conversation: string, listingId: string) {
  const sql = yield* SqlClient.SqlClient
  const offer_id = `O-${conversation}`
  yield* sql`
    INSERT INTO special_offers (operator_id, conversation_id, offer_id, offer_type, status, listing_id, check_in_date,
      check_out_date, number_of_adults, number_of_children, number_of_infants, number_of_pets, price, currency, expires_at,
      created_at)
    SELECT operator_id, id, ${offer_id}, 'special_offer', 'active', ${listingId}, '2027-06-10', '2027-06-12', 2, 0, 0, 0,
      380, 'EUR', '2099-01-01', now() FROM conversations WHERE operator_id = ${operatorId} AND code = ${conversation}`
  return offer_id
}, Effect.orDie)

/** An entry of the knowledge base that is searched; answers its id. */
const insertKnowledgeEntry = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const [entry] = yield* sql<{ id: number }>`
    INSERT INTO knowledge_bases (operator_id, title, is_enable, audience, scope_property_type, scope_property_ids,
      scope_channel_type, scope_channels, contents, process_status, due_at, created_at)
    VALUES (${operatorId}, 'Parking', true, 'guests', 'all', '{-1}', 'all', '{unlimited}',
      '[{"sub_title": "Garage", "text": "Two streets away."}]', 'done', 'infinity', now())
    RETURNING id`
  const id = entry?.id ?? assert.fail("there is no entry")
  const content = { sub_title: "Garage", text: "Two streets away." }
  const [{ searchable = "" } = {}] = toKnowledgeFragments({ title: "Parking", contents: [content] })
  yield* sql`
    INSERT INTO knowledge_fragments (operator_id, knowledge_base_id, revision, place, sub_title, text, words)
    VALUES (${operatorId}, ${id}, 1, 0, 'Garage', 'Two streets away.', ${searchVectorSql(sql, sql`${searchable}::text`)})`
  return id
}, Effect.orDie)

/** A conversation whose guest asked something that is not answered yet. */
const insertPendingQuestion = Effect.fnUntraced(function* (operatorId: number, code: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO answer_lanes (operator_id, conversation_id, account_id, waiting, due_at)
    SELECT operator_id, id, account_id, 1, 'infinity' FROM conversations
    WHERE operator_id = ${operatorId} AND code = ${code}`
}, Effect.orDie)

/** Two rules, one of them paused, a stay that is to be looked at again, and a message to its guest that waits; answers their ids. */
const insertAutomationPlan = Effect.fnUntraced(function* (operatorId: number, stayId: number, conversation: string) {
  const sql = yield* SqlClient.SqlClient
  const rule = JSON.stringify({
    name: "Before arrival",
    action: "send_message",
    trigger: { event: "check_in", when: "before", hours: 24 },
    text: "See you tomorrow."
  })
  yield* sql`
    INSERT INTO automation_stays (operator_id, stay_id, due_at) VALUES (${operatorId}, ${stayId}, 'infinity')`
  const [paused] = yield* sql<{ id: number }>`
    INSERT INTO automation_rules (operator_id, action, definition, state, since, created_at)
    VALUES (${operatorId}, 'send_message', ${rule}::jsonb, 'paused', '1970-01-01', now()) RETURNING id`
  const [plan] = yield* sql<{ id: number; rule_id: number }>`
    WITH rule AS (
      INSERT INTO automation_rules (operator_id, action, definition, state, since, created_at)
      VALUES (${operatorId}, 'send_message', ${rule}::jsonb, 'active', '1970-01-01', now()) RETURNING operator_id, id
    )
    INSERT INTO automation_plans (operator_id, rule_id, kind, stay_id, scheduled_at, due_at, created_at)
    SELECT operator_id, id, 'send_message', ${stayId}::bigint, '1970-01-10', 'infinity', now() FROM rule
    RETURNING id, rule_id`
  yield* sql`
    UPDATE orders SET conversation_id = ${conversation}
    WHERE operator_id = ${operatorId} AND id = (SELECT order_id FROM stays WHERE operator_id = ${operatorId} AND id = ${stayId})`
  return {
    plan_id: plan?.id ?? assert.fail("there is no plan"),
    rule_id: plan?.rule_id ?? assert.fail("there is no plan"),
    paused_rule_id: paused?.id ?? assert.fail("there is no paused rule")
  }
}, Effect.orDie)

const GUEST_REVIEW = JSON.stringify({
  score: 4.5,
  sub_score: null,
  content: "Nice",
  created_at: "1970-01-01T00:00:00+00:00"
})

/** An order whose stay was over at the hour of the contract tests, and which its guest has reviewed. */
const insertReviewedOrder = Effect.fnUntraced(function* (
  operatorId: number,
  { propertyId, channelType = "airbnb" }: { readonly propertyId?: number; readonly channelType?: string }
) {
  const sql = yield* SqlClient.SqlClient
  const days = { checkIn: "1969-12-28", checkOut: "1969-12-31" }
  const code = yield* insertOrder(operatorId, [{ propertyId: propertyId ?? null, ...days }], { channelType })
  yield* sql`
    INSERT INTO reviews (operator_id, order_id, guest_review, created_at)
    SELECT operator_id, id, ${GUEST_REVIEW}::jsonb, now()
    FROM orders WHERE operator_id = ${operatorId} AND reservation_code = ${code}`
  return code
}, Effect.orDie)

/** Its listings follow their calendars. */
const insertListingComparisons = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO listing_comparisons (operator_id, listing_row, account_id, property_id, room_type_id, due_at)
    SELECT operator_id, id, account_id, property_id, room_type_id, now() FROM listings WHERE operator_id = ${operatorId}`
})

/** What people gave access with: a token beside those of the tests, and a connection; answers their ids. */
const insertGivenAccess = Effect.fnUntraced(function* (operatorId: number, accountId: number) {
  const sql = yield* SqlClient.SqlClient
  const [token] = yield* sql<{ id: number }>`
    INSERT INTO access_tokens (operator_id, account_id, name, scope, digest, created_at)
    VALUES (${operatorId}, ${accountId}, 'Books', 'read-only', sha256(convert_to('token of ' || ${operatorId}::bigint, 'UTF8')), now())
    RETURNING id`
  yield* sql`
    INSERT INTO oauth_clients (id, name, redirect_uris, secret_digest, created_at)
    VALUES (${SAMPLE_PARTNER.client_id}, 'Ledger', ${[SAMPLE_PARTNER.redirect_uri]}, '\\x00', now())
    ON CONFLICT DO NOTHING`
  const [grant] = yield* sql<{ id: number }>`
    INSERT INTO oauth_grants (operator_id, account_id, client_id, name, scope, created_at)
    VALUES (${operatorId}, ${accountId}, 'service_mcp', 'Assistant', 'writable', now()) RETURNING id`
  return {
    tokenId: token?.id ?? assert.fail("there is no token"),
    grantId: grant?.id ?? assert.fail("there is no grant")
  }
}, Effect.orDie)

/** The account has an address to which its notifications are mailed, and has had one. */
const insertNotification = Effect.fnUntraced(function* (operatorId: number, accountId: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO notification_recipients (operator_id, account_id, kinds_since, verified_email)
    SELECT operator_id, id, now(), email FROM accounts WHERE operator_id = ${operatorId} AND id = ${accountId}`
  yield* sql`
    INSERT INTO notifications (operator_id, account_id, kind, event_key, record, state, created_at)
    VALUES (${operatorId}, ${accountId}, 'new_booking', '1', 'sample', 'sent', now())`
}, Effect.orDie)

/** A sub-account, and one that is disabled; answers their ids. */
const insertSubAccounts = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const helper = yield* insertAccount(operatorId, "sub", "Helper")
  const disabled = yield* insertAccount(operatorId, "sub", "Former helper")
  yield* sql`UPDATE accounts SET disabled_at = now() WHERE operator_id = ${operatorId} AND id = ${disabled}`
  return { helper, disabled }
}, Effect.orDie)

/** Everything that happened to the operator is in the feed, as a fan-out of it alone would leave it. */
const markEventsDispatched = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE events SET fanned_out_at = now(), position = id WHERE operator_id = ${operatorId}`
})

/** Creates an operator with these limits in place of the table's, and a record of every kind; returns their ids and codes. */
export const createSampleRecords = Effect.fnUntraced(function* (
  rateLimits: NonNullable<OperatorOptions["rateLimits"]>
) {
  const operator = yield* createOperator({ rateLimits })
  const as = withToken(operator.token)
  const api = yield* typedClient
  const property_id = yield* insertProperty(operator.operatorId, "Harbour 1")
  const reservation_code = yield* insertOrder(operator.operatorId, [{ propertyId: property_id }])
  const { transaction_id } = yield* api
    .create_transaction({
      direction: "income",
      amount: 5,
      currency: "EUR",
      item_id: 11,
      payment_method_id: 197,
      property_id
    })
    .pipe(as)
  yield* api
    .create_transaction({ direction: "income", amount: 9, item_id: 11, payment_method_id: 197, reservation_code })
    .pipe(as)
  const { group } = yield* api.create_property_group({ name: "Harbour", property_ids: [property_id] }).pipe(as)
  const { room_type_id } = yield* api.create_room_type({ title: "Double" }).pipe(as)
  // A property of another room type, so that the first is still free for any.
  const otherPropertyId = yield* insertProperty(operator.operatorId, "Harbour 2")
  yield* api.create_room_type({ title: "Twin", property_ids: [otherPropertyId] }).pipe(as)
  const { tag } = yield* api
    .create_property_tag({ name: "Sea view", property_ids: [property_id], room_type_ids: [room_type_id] })
    .pipe(as)
  const { webhook } = yield* api.create_webhook({ url: "https://hooks.example.com/in" }).pipe(as)
  const { reservation_tag } = yield* api.create_reservation_tag({ tag_name: "Allergies" }).pipe(as)
  yield* api.add_reservation_tag({ stay_code: reservation_code, tag_name: "Quiet room" }).pipe(as)
  const stay_id = yield* api.search_reservations({ reservation_code }).pipe(
    as,
    Effect.map(({ reservations }) => reservations[0]?.id ?? assert.fail("reservations is empty"))
  )
  const pending_code = yield* insertOrder(
    operator.operatorId,
    [{ propertyId: property_id, checkIn: "2027-07-01", checkOut: "2027-07-03" }],
    { channelType: "airbnb", status: "wait_accept" }
  )
  // One works everywhere, the other in one property.
  const { staff_id } = yield* api.create_staff({ name: "Marta", mobile: "+351 912345678" }).pipe(as)
  yield* api.create_staff({ name: "Li", mobile: "+351 933333333", property_ids: [property_id] }).pipe(as)
  const { task_id } = yield* api.create_task({ type: "cleaning", stay_code: reservation_code, staff_id }).pipe(as)
  const { calendar_share_link } = yield* api.create_calendar_share_link({ scope: "entire" }).pipe(as)
  yield* api.create_calendar_share_link({ scope: "partial", property_ids: [property_id] }).pipe(as)
  const channel_account_id = yield* insertChannelAccount(operator.operatorId)
  const listing_id = yield* insertListing(operator.operatorId, channel_account_id, { propertyId: property_id })
  yield* insertListing(operator.operatorId, channel_account_id, { roomTypeId: room_type_id })
  const vrboAccount = yield* insertChannelAccount(operator.operatorId, { channelType: "vrbo" })
  const vrbo_listing_id = yield* insertListing(operator.operatorId, vrboAccount, { channelType: "vrbo" })
  const { code: conversation_id } = yield* insertConversation({
    operatorId: operator.operatorId,
    accountId: channel_account_id,
    channelType: "airbnb",
    inquiry: { listingId: listing_id, checkInDate: "2027-06-10", checkOutDate: "2027-06-12" }
  })
  const special_offer_id = yield* insertSpecialOffer(operator.operatorId, conversation_id, listing_id)
  yield* insertDirectRecords(operator.operatorId, stay_id, channel_account_id)
  const { calendar_id, feed_id } = yield* insertCalendarWithBusyDay(operator.operatorId, property_id)
  const calendar_stay_code = yield* insertCalendarStay(operator.operatorId, property_id, calendar_id, "2027-11-02")
  yield* insertImage(operator.operatorId)
  const knowledge_base_id = yield* insertKnowledgeEntry(operator.operatorId)
  const { plan_id, rule_id, paused_rule_id } = yield* insertAutomationPlan(
    operator.operatorId,
    stay_id,
    conversation_id
  )
  yield* insertPendingQuestion(operator.operatorId, conversation_id)
  const before = yield* insertConversationMessages(operator.operatorId, conversation_id, pending_code)
  const today = dateInZone(yield* Clock.currentTimeMillis, "Europe/Berlin")
  yield* api
    .update_listing_prices({ channel_type: "airbnb", listing_id, prices: [{ ...toDays(today), price: 120 }] })
    .pipe(as)
  const afterSampleDays = addDays(today, 40)
  yield* api
    .set_base_prices({ property_id, ranges: [{ start_date: afterSampleDays, end_date: afterSampleDays, price: 110 }] })
    .pipe(as)
  yield* insertListingComparisons(operator.operatorId)
  const reviewed_code = yield* insertReviewedOrder(operator.operatorId, { channelType: "booking.com" })
  const reviewing_code = yield* insertReviewedOrder(operator.operatorId, { propertyId: property_id })
  const givenAccess = yield* insertGivenAccess(operator.operatorId, operator.accountId)
  yield* insertNotification(operator.operatorId, operator.accountId)
  const subAccounts = yield* insertSubAccounts(operator.operatorId)
  yield* markEventsDispatched(operator.operatorId)
  const delivery_id = yield* insertDeliveries(operator.operatorId, webhook.id)
  yield* api.put_event_consumer({ name: "ledger", cursor: toSampleCursor(operator.operatorId) }).pipe(as)
  const records: SampleRecords = {
    ...operator,
    today,
    property_id,
    other_property_id: otherPropertyId,
    reservation_code,
    pending_code,
    calendar_stay_code,
    reviewed_code,
    reviewing_code,
    stay_id,
    transaction_id,
    room_type_id,
    group_id: group.id,
    tag_id: tag.id,
    reservation_tag_id: reservation_tag.id,
    webhook_id: webhook.id,
    delivery_id,
    staff_id,
    task_id,
    share_link_id: calendar_share_link.id,
    channel_account_id,
    listing_id,
    vrbo_listing_id,
    conversation_id,
    last_message: before,
    special_offer_id,
    calendar_id,
    feed_id,
    knowledge_base_id,
    plan_id,
    rule_id,
    paused_rule_id,
    token_id: givenAccess.tokenId,
    grant_id: givenAccess.grantId,
    sub_account_id: subAccounts.helper,
    disabled_account_id: subAccounts.disabled
  }
  return records
}, Effect.orDie)
