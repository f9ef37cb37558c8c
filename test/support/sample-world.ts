import { Effect } from "effect"
import { type AnyOperation, routeOf } from "../../src/contract/operation.ts"
import { EVENT_NAMES } from "../../src/jobs/events/event-statements.ts"
import type { OperatorOptions } from "./harness.ts"
import { JPEG_BASE64 } from "./jpegs.ts"
import { EVERY_AIRBNB_SETTING, EVERY_VRBO_SETTING } from "./remote-rules.ts"
import {
  categoryIdOf,
  createSampleRecords,
  SAMPLE_PARTNER,
  type SampleRecords,
  toDays,
  toSampleCursor
} from "./sample-records.ts"

// One operator that owns a record of every kind, and a valid value for every field name of the contracts: the
// contract tests build their calls from them. A family with new field names adds them here once, and a record of every new kind:
// without a record, a contract test cannot prove that other operators never see it.

/** Values by field name; ids and codes name records of this operator. */
export type SampleWorld = ReturnType<typeof toSampleWorld>

/** The values of a world by the ids of its records. */
export const toSampleWorld = (records: SampleRecords) => {
  const {
    operatorId,
    accountId,
    token,
    readOnlyToken,
    property_id,
    other_property_id,
    stay_id,
    transaction_id,
    room_type_id,
    group_id,
    tag_id,
    reservation_tag_id,
    webhook_id,
    delivery_id,
    staff_id,
    task_id,
    share_link_id,
    channel_account_id,
    calendar_id,
    feed_id,
    knowledge_base_id,
    plan_id,
    rule_id,
    paused_rule_id,
    token_id,
    grant_id,
    sub_account_id,
    disabled_account_id,
    reservation_code,
    calendar_stay_code,
    pending_code,
    reviewed_code,
    reviewing_code,
    listing_id,
    vrbo_listing_id,
    conversation_id,
    special_offer_id,
    last_message: before
  } = records
  const listing = { channel_type: "airbnb", listing_id } as const
  const days = toDays(records.today)
  const priceRange = { ...days, price: 120 }
  const cursor = toSampleCursor(operatorId)
  return {
    operatorId,
    accountId,
    token,
    readOnlyToken,
    /** By the first segment of a route: the id of a record of that kind. */
    records: {
      reservations: stay_id,
      transactions: transaction_id,
      properties: property_id,
      room_types: room_type_id,
      groups: group_id,
      tags: tag_id,
      reservation_tags: reservation_tag_id,
      webhooks: webhook_id,
      webhook_deliveries: delivery_id,
      categories: categoryIdOf(operatorId),
      automation: rule_id,
      staffs: staff_id,
      tasks: task_id,
      calendar_share_links: share_link_id,
      imported_calendars: calendar_id,
      property_feeds: feed_id,
      channel_accounts: channel_account_id,
      conversations: conversation_id,
      knowledge_bases: knowledge_base_id
    } as Readonly<Record<string, number | string>>,
    /** By field name. */
    fields: {
      property_id,
      property_ids: [property_id],
      group_id: group_id,
      tag_id: tag_id,
      room_type_id,
      room_type_ids: [room_type_id],
      channel_account_id,
      kinds: ["new_booking"],
      title: "Leith 1",
      address: "12 Shore, Edinburgh",
      longitude: "-3.1706",
      latitude: "55.9763",
      capacity: 4,
      fees: [{ name: "Cleaning", amount: 40, per: "stay" }],
      taxes: [{ name: "VAT", percent: 10, per: "stay" }],
      default_checkin_time: "16:30",
      default_checkout_time: "10:30",
      name: "Leith",
      tag_name: "Anniversary",
      trigger: { event: "check_in", when: "before", hours: 24 },
      task: { type: "cleaning", staff: null },
      nights: { min: 2 },
      reservation_code,
      stay_code: reservation_code,
      direction: "income",
      amount: 5,
      currency: "EUR",
      item_id: 11,
      payment_method_id: 197,
      url: "https://hooks.example.com/out",
      start_date: "2027-05-01",
      end_date: "2027-05-31",
      custom_channel_id: 30,
      income_method_id: 197,
      check_in_date: "2027-06-01",
      check_out_date: "2027-06-03",
      guest_name: "Ada Lovelace",
      rate_amount: 420,
      commission_amount: 0,
      received_amount: 100,
      custom_fields: { door: "blue gate" },
      stay_status: "in_house",
      staff_id,
      task_id,
      mobile: "+351 911111111",
      guest_phone: "+351 911111111",
      email: "ada@guest.example",
      guest_email: "ada@guest.example",
      type: "cleaning",
      scope: "partial",
      calendar_id,
      digest: `2:of ${operatorId}`,
      skip_unavailable: true,
      events: "stay",
      ...listing,
      listings: [listing],
      prices: [priceRange],
      ranges: [priceRange],
      inventories: [{ ...days, inventory: 1 }],
      restrictions: [{ ...days, min_stay_on_arrival: 3 }],
      cursor,
      after: cursor,
      keyword: "Harbour",
      start_time: "1970-01-01T00:00:00Z",
      end_time: "1970-01-31T00:00:00Z",
      types: EVENT_NAMES.join(","),
      wait: 1,
      conversation_id,
      before,
      message: "The key is under the mat.",
      jpeg_base64: JPEG_BASE64,
      special_offer_id,
      plan_id,
      price: 380,
      number_of_adults: 2,
      review_status: "reviewed",
      host_review_score: 5,
      host_review_content: "A kind guest",
      category_ratings: { cleanliness: 5, recommend: 1 },
      is_enable: true,
      scope_property: { type: "by_property", ids: [property_id] },
      scope_channel: { type: "by_channel", channels: ["airbnb"] },
      contents: [{ sub_title: "Keys", text: "In the box by the door." }],
      audience: "anyone",
      question: "Is there parking?",
      dictionary: "income_items",
      record: `property:${property_id}`,
      since: "1970-01-01T00:00:00Z",
      until: "2100-01-01T00:00:00Z",
      grant_type: "authorization_code",
      client_id: "app_of_nobody",
      client_secret: "lksecret_of_nobody",
      token: "lk_of_nobody",
      password: "a long enough one",
      redirect_uris: ["http://127.0.0.1/callback"],
      channel_types: ["airbnb", "vrbo"]
    } as Readonly<Record<string, unknown>>,
    /** By operation, where one needs another value than the others. */
    fieldsByOperation: {
      get_property_availability: {
        property_ids: String(property_id),
        start_date: "1970-02-01",
        end_date: "1970-02-28"
      },
      search_listing_calendars: { start_date: "1970-02-01", end_date: "1970-02-28" },
      get_base_prices: { start_date: "1970-02-01", end_date: "1970-02-28" },
      create_quote: { check_in_date: "1970-02-01", check_out_date: "1970-02-03", number_of_guests: 2 },
      search_reservations: { start_check_in_date: "2027-01-01", fields: "id,reservation_code,stay_code,status" },
      search_transactions: { start_date: "1970-01-01", end_date: "1970-12-31", fields: "id,amount" },
      search_properties: { fields: "id, title" },
      query_conversations: { fields: "id" },
      update_availabilities: { available: false, start_date: "1970-02-01", end_date: "1970-02-28" },
      cancel_calendar_stay: { stay_code: calendar_stay_code },
      detach_calendar_stay: { stay_code: calendar_stay_code },
      approve_reservation: { reservation_code: pending_code },
      decline_reservation: { reservation_code: pending_code },
      delete_event_consumer: { name: "ledger" },
      list_webhook_deliveries: { before: delivery_id },
      search_audit_log: { cursor: "4102444800000-1" },
      create_category: { name: "Boat trips" },
      // Other titles than those that a contract test over all operations creates.
      update_property: { title: "Leith 2" },
      update_room_type: { title: "Triple" },
      create_automation_rule: {
        action: "answer",
        trigger: { event: "check_in", when: "before", hours: 24 },
        text: "See you tomorrow.",
        score: 5,
        task: { type: "cleaning", staff: null },
        nights: { min: 2 }
      },
      try_automation_rule: { action: "answer" },
      update_automation_rule: {
        trigger: { event: "check_in", when: "before", hours: 20 },
        score: 5,
        task: { type: "cleaning", staff: null },
        nights: { min: 2 }
      },
      resume_automation_rule: { id: paused_rule_id },
      pause_webhook: { id: webhook_id },
      rotate_webhook_secret: { id: webhook_id },
      create_access_token: { scope: "read-only" },
      revoke_access_token: { id: token_id },
      connect_application: {
        ...SAMPLE_PARTNER,
        scope: "read-only",
        code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        resource: "http://127.0.0.1:8080/mcp"
      },
      disconnect_application: { id: grant_id },
      create_account: { email: `helper-${operatorId}@example.test` },
      disable_account: { id: sub_account_id },
      enable_account: { id: disabled_account_id },
      set_account_password: { id: sub_account_id },
      // Nights that nobody books of whoever makes every call.
      send_special_offer: { check_in_date: "2027-06-20", check_out_date: "2027-06-22" },
      remove_reservation_tag: { tag_name: "Quiet room" },
      update_airbnb_price_and_rules: { settings: EVERY_AIRBNB_SETTING },
      update_conversation_note: { note: "Allergic to nuts" },
      get_vrbo_price_and_rules: { listing_id: vrbo_listing_id },
      update_vrbo_price_and_rules: { listing_id: vrbo_listing_id, settings: EVERY_VRBO_SETTING },
      query_upcoming_automation_actions: { type: "message" },
      search_reviews: { reservation_code: reviewed_code },
      create_review: { reservation_code: reviewing_code }
    } as Readonly<Record<string, Readonly<Record<string, unknown>>>>,
    /** By operation, where a call with every text it takes would change nothing: what to send beside or instead. */
    edits: {
      update_webhook: { rotate_secret: true },
      update_imported_calendar: { skip_unavailable: true },
      // A rule that answers has no text of its own.
      create_automation_rule: { text: null },
      allocate_stay: { property_id: other_property_id },
      set_listing_mapping: { property_id: other_property_id },
      create_property_feed: { property_id: other_property_id },
      update_check_in_details: { lock_code_visible_after: "16:45" },
      // An image comes before its message, and goes by itself where that never comes.
      send_message: { jpeg_base64: null }
    } as Readonly<Record<string, Readonly<Record<string, unknown>>>>
  }
}

/** A world whose operator has these limits in place of the table's. */
export const makeSampleWorldWith = (rateLimits: NonNullable<OperatorOptions["rateLimits"]>) =>
  Effect.map(createSampleRecords(rateLimits), toSampleWorld)

// The contract tests make more calls than these routes accept in a minute.
export const makeSampleWorld = makeSampleWorldWith({
  endpoint: {
    "POST /reservations": { "1m": 10_000 },
    "POST /quotes": { "1m": 10_000 },
    "POST /availabilities": { "1m": 10_000 },
    "POST /listings/calendar": { "1m": 10_000 },
    "POST /listings/prices": { "1m": 10_000 },
    "POST /listings/inventories": { "1m": 10_000 },
    "POST /listings/restrictions": { "1m": 10_000 },
    "POST /imported_calendars/{id}/fetch": { "1m": 10_000 }
  }
})

/** Fields of the contracts that name a record of the operator. */
export const REFERENCE_FIELDS: ReadonlySet<string> = new Set([
  "id",
  "property_id",
  "property_ids",
  "staff_id",
  "task_id",
  "group_id",
  "tag_id",
  "room_type_id",
  "room_type_ids",
  "channel_account_id",
  "reservation_code",
  "stay_code",
  "listing_id",
  "listings",
  "conversation_id",
  "before",
  "special_offer_id",
  "scope_property",
  "plan_id",
  "calendar_id"
])

/** Fields of which a call names exactly one, by operation; where nothing is said, the first. */
export const EXCLUSIVE_FIELDS: Readonly<Record<string, ReadonlyArray<string>>> = {
  get_pricing_ratios: ["property_id", "room_type_id"],
  get_base_prices: ["property_id", "room_type_id"],
  set_base_prices: ["property_id", "room_type_id"],
  set_listing_mapping: ["property_id", "room_type_id"],
  send_message: ["message", "jpeg_base64"],
  // A guest without a stay is answered from fewer entries.
  ask_knowledge_base: ["stay_code"],
  create_review: ["host_review_content"],
  create_quote: ["property_id", "listing_id"]
}

/** What a call must have beside the field of {@link EXCLUSIVE_FIELDS} that it names. */
export const PAIRED_FIELDS: Readonly<Record<string, string>> = { listing_id: "channel_type" }

/** Fields that look as if they did: an entry of a dictionary everybody has, a channel's own id, a code for a door. */
export const NON_REFERENCE_FIELDS: ReadonlySet<string> = new Set([
  "item_id",
  "payment_method_id",
  "income_method_id",
  "custom_channel_id",
  "channel_id",
  // Tested with the use of quotes: quotes.service.test.ts.
  "quote_id",
  "lock_code",
  // Of a client, which is no operator's, and what it was given.
  "client_id",
  "code",
  "rate_plan_id"
])

/** Fields that name what the search is for, beside its id. */
const SEARCH_KEY_FIELDS: ReadonlySet<string> = new Set([
  "search_reservations reservation_code",
  "search_listings listing_id",
  "search_reviews reservation_code"
])

/** Whether a search by this field is one for the record itself, which finds nothing where there is none. */
export const isSearchKey = (operation: AnyOperation, field: string): boolean =>
  routeOf(operation).params.length === 0 && (field === "id" || SEARCH_KEY_FIELDS.has(`${operation._tag} ${field}`))

/** The value of a field in a world, if it has one: `id` means a record of the kind the route begins with. */
export const findSampleValue = (world: SampleWorld, operation: AnyOperation, field: string): unknown => {
  const special = world.fieldsByOperation[operation._tag] ?? {}
  if (Object.hasOwn(special, field)) return special[field]
  return field === "id" ? world.records[recordKindOf(operation)] : world.fields[field]
}

/** The value of a field that a call cannot do without. */
export const requireSampleValue = (world: SampleWorld, operation: AnyOperation, field: string): unknown => {
  const value = findSampleValue(world, operation, field)
  if (value !== undefined) return value
  const missing = field === "id" ? `a record of \`${recordKindOf(operation)}\`` : `a value of \`${field}\``
  throw new Error(`${operation._tag} needs ${missing}: give it in test/support/sample-world.ts`)
}

const recordKindOf = (operation: AnyOperation): string => routeOf(operation).path.split("/")[1] ?? ""
